"""Networks. They take plain numbers and tensors: never a configuration, a vocabulary or a file."""
