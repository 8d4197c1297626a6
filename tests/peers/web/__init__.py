"""The web app, held against software nobody here wrote."""
