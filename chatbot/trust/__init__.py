"""How far a reply can be trusted and where it comes from; numpy only, nothing here computes a network."""
