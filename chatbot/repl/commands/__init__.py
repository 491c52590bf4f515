"""The commands of a conversation: one table that help, completion, dispatch and the docs are made from."""
