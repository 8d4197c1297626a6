"""Answers about the machine around the card: power, cooling, processor, RAM, disks, networks, software."""
