"""How fast a card does a job, how several do, and how long it takes."""
