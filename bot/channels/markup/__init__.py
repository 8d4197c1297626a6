"""Neutral Markdown to what a channel shows: Telegram HTML, WeCom markdown_v2, Discord, Feishu's cards, plain text.

A reply is parsed once into blocks of styled runs (`blocks`), and each renderer writes these runs with its own escapes.
Markup is therefore balanced by construction, and nothing a user typed can become a tag.
"""

from bot.channels.markup.blocks import Block, Run, escape, parse
from bot.channels.markup.discord import discord_markdown
from bot.channels.markup.feishu import feishu_markdown
from bot.channels.markup.html import telegram_html
from bot.channels.markup.plain import plain_text
from bot.channels.markup.wecom import wecom_markdown

__all__ = [
    "Block",
    "Run",
    "discord_markdown",
    "escape",
    "feishu_markdown",
    "parse",
    "plain_text",
    "telegram_html",
    "wecom_markdown",
]
