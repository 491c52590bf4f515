"""The conversation at a terminal: prompt, commands, replies. One small module a concern."""
