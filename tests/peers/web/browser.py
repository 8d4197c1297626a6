"""Runs in the peers' environment: uses the chat page in a real Chromium, as a visitor does.

Arguments: address of the app, address of a page on another site that embeds it, path of axe.min.js, path of chromium.
Prints one JSON object of what was seen.
"""

import base64
import json
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

HOST, OTHER, AXE, CHROMIUM = sys.argv[1:5]
SCRIPT = (
    Path(AXE).read_text(encoding="utf-8")
    + "; axe.run().then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html}`))"
)


def ask(page: Page, text: str) -> None:
    done = page.locator(".verdict").count()
    page.fill("#text", text)
    page.keyboard.press("Enter")
    page.locator(".verdict").nth(done).wait_for(timeout=60_000)


def looks(browser: Browser, width: int, theme: str, locale: str, text: str) -> dict[str, object]:
    """One visitor: what axe finds, whether anything is wider than the window, where the answer stands."""
    context = browser.new_context(viewport={"width": width, "height": 780}, color_scheme=theme, locale=locale)
    page, said = context.new_page(), []
    page.set_default_timeout(60_000)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(HOST)
    page.locator("#examples button").first.wait_for()
    faults = page.evaluate(SCRIPT)
    ask(page, text)
    top = page.locator(".verdict").last.bounding_box()["y"]
    button = page.get_by_role("button", name="Chart" if locale == "en-US" else "图", exact=True)
    button.click()
    expect(page.locator("figure")).to_have_count(0)
    button.click()
    page.locator("figure").scroll_into_view_if_needed()
    expect(page.locator("figure img")).to_have_js_property("complete", True, timeout=30_000)
    expect(page.locator("figure img")).not_to_have_js_property("naturalWidth", 0, timeout=30_000)
    page.locator(".receipt summary").click()
    page.locator(".sources a").first.wait_for()
    ask(page, "3090 vs 4080")  # a second answer with tables beside the first
    faults += page.evaluate(SCRIPT)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = {
        "axe": faults,
        "wide": wide,
        "top": top,
        "console": said,
        "language": page.evaluate("document.documentElement.lang"),
        "links": page.locator(".sources a").evaluate_all("all => all.every(one => /^https?:/.test(one.href))"),
        "buttons": page.locator(".choices button").count(),
    }
    context.close()
    return found


def talks(browser: Browser) -> dict[str, object]:
    """Offline, reload, history, markup in a question, a link to an answer, forgetting."""
    context = browser.new_context(locale="en-US", permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(60_000)  # machines that run many tests at once are slow
    page.goto(HOST)
    page.locator("#examples button").first.wait_for()
    ask(page, "how much VRAM does a 4090 have?")
    page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    page.reload()
    found: dict[str, object] = {"restored": page.locator(".verdict").all_inner_texts()}
    context.set_offline(True)
    page.fill("#text", "how much VRAM does a 3090 have? <img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    page.locator(".waiting p").wait_for()
    found["kept"] = page.locator(".waiting p").inner_text()
    page.reload()
    found["offline_page"] = page.locator(".said").all_inner_texts()
    context.set_offline(False)
    page.locator(".verdict").nth(1).wait_for(timeout=60_000)
    found["answers"] = page.locator(".verdict").count()
    found["images"] = page.locator("main img").count()
    page.get_by_role("button", name="Copy as Markdown").last.click()
    page.get_by_text("Copied", exact=True).wait_for()
    found["copied"] = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy a link to this answer").first.click()
    page.get_by_text("Link copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    other = browser.new_context(locale="en-US").new_page()
    other.goto(link)
    other.locator("#shared p").first.wait_for(timeout=60_000)
    found["shared"] = other.locator("#shared p").all_inner_texts()
    found["shared_answer"] = other.locator(".verdict").all_inner_texts()
    # the same link as if the answer had been another one
    head, _, packed = link.partition("#s=")
    kept = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    kept["l"] = ["It has 20 GiB."]
    changed = base64.urlsafe_b64encode(json.dumps(kept).encode()).decode().rstrip("=")
    later = browser.new_context(locale="en-US").new_page()
    later.goto(f"{head}#s={changed}")
    later.locator("#shared .then").wait_for(timeout=60_000)
    found["then"] = later.locator("#shared .then").all_inner_texts()
    found["now"] = later.locator(".card > p.now").count()
    # no answer of that day ever said this, so what changed is not the prices
    later.get_by_text("Records or rules were mended since").wait_for(timeout=60_000)
    found["of_that_day"] = later.locator("#shared li:not(.then)").all_inner_texts()
    page.keyboard.press("Control+k")
    found["focus"] = page.evaluate("document.activeElement.id")
    page.get_by_role("button", name="Clear and forget this conversation").click()
    page.locator("#welcome").wait_for()
    page.reload()
    found["forgotten"] = page.locator(".turn").count()
    context.close()
    return found


def older(browser: Browser) -> dict[str, object]:
    """Two pages of one browser, a line that was being typed, an answer that the server no longer keeps, a lone link."""
    context = browser.new_context(locale="en-US", permissions=["clipboard-read", "clipboard-write"])
    page, twin = context.new_page(), context.new_page()
    for one in (page, twin):
        one.set_default_timeout(60_000)
        one.goto(HOST)
        one.locator("#examples button").first.wait_for()
    ask(page, "can a 4090 LoRA fine-tune qwen2.5-14b?")
    twin.locator(".verdict").first.wait_for()
    ask(twin, "price of a 3090?")
    page.locator(".verdict").nth(1).wait_for()
    for text in ("how much VRAM does a 4080 have?", "3090 vs 4090", "A100 per hour"):
        ask(page, text)
    page.fill("#text", "half a line")
    page.reload()
    page.locator(".verdict").nth(4).wait_for()
    found: dict[str, object] = {"said": page.locator(".said").all_inner_texts(), "draft": page.input_value("#text")}
    page.locator(".receipt summary").first.click()
    page.locator(".receipt").first.get_by_text("This is how it comes about").wait_for()
    found["receipt"] = page.locator(".receipt").first.inner_text()
    page.get_by_role("button", name="Copy a link to this answer").last.click()
    page.get_by_text("Link copied").wait_for()
    packed = page.evaluate("navigator.clipboard.readText()").partition("#s=")[2]
    found["link"] = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))["q"]
    context.close()
    return found


def embeds(browser: Browser) -> dict[str, object]:
    """The widget on another site: it answers, a follow-up knows what went before, and the site cannot look inside."""
    page = browser.new_context(locale="en-US").new_page()
    page.set_default_timeout(60_000)
    page.goto(OTHER)
    page.get_by_role("button", name="GPU help").click()
    frame = page.frame_locator("iframe")
    frame.locator("#examples button").first.wait_for()
    for number, text in enumerate(("can a 4090 run qwen2.5-14b?", "and a 3090?")):
        frame.locator("#text").fill(text)
        frame.locator("#text").press("Enter")
        frame.locator(".verdict").nth(number).wait_for(timeout=60_000)
    return {"answers": frame.locator(".verdict").all_inner_texts()}


with sync_playwright() as play:
    chromium = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    seen = {
        "360 light": looks(chromium, 360, "light", "zh-CN", "4090 能 LoRA 微调 Qwen2.5-7B 吗，每周 20 小时租还是买"),
        "360 dark": looks(chromium, 360, "dark", "en-US", "rent or buy a 4090 for 20 hours a week?"),
        "1280 dark": looks(chromium, 1280, "dark", "en-US", "which GPU for a 7B LoRA under $1000?"),
        "1600 light": looks(chromium, 1600, "light", "zh-CN", "Llama-3.1-8B 做 QLoRA 要多少显存？"),
    }
    done = {"looks": seen, "talks": talks(chromium), "older": older(chromium), "embeds": embeds(chromium)}
    print(json.dumps(done, ensure_ascii=False))
    chromium.close()
