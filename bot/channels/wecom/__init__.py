"""WeCom (qiye weixin): the AI bot over the long connection or the callback, a self-built app, the alert robot."""
