"""From files to conversations to dialogue pairs. Nothing here knows what a tensor is."""
