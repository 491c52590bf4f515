"""What chat programs write in the place of media, deleted messages and events, in many languages."""
