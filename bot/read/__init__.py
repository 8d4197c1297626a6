"""Reading: a text becomes a Question; after this room nobody sees the text."""
