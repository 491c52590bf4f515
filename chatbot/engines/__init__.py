"""Trained weights behind the protocol of ``chatbot.decoding.engine``."""
