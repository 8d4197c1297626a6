"""From a decision to a reply: one turn, what may end it, what it says, and what is kept of it."""
