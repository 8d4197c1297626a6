"""One module or package per channel: updates in, replies out, in the channel's own markup."""
