"""HTTP: the JSON API, the web chat, health, readiness, metrics; other channels hang their routes here."""
