"""What a message does in a conversation: one operation on one frame."""
