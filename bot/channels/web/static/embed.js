// One script tag: <script src="https://HOST/embed.js" data-label="GPU?" data-lang="en" async></script>
// The chat lives in a frame of its own: this page cannot read it, and the server names who may frame it.
(() => {
  const me = document.currentScript;
  const base = new URL(me.src).origin;
  const look = new CSSStyleSheet();
  look.replaceSync(`
    :host { all: initial; position: fixed; right: 1rem; bottom: 1rem; z-index: 2147483000; font: 16px/1.4 system-ui, sans-serif; }
    button { font: inherit; font-weight: 600; min-height: 48px; padding: 0 1.2rem; border: 0; border-radius: 1.5rem; color: #fff; background: #0f6b63; cursor: pointer; box-shadow: 0 4px 18px #0004; }
    button:focus-visible { outline: 3px solid #5ad1c2; outline-offset: 3px; }
    iframe { position: absolute; right: 0; bottom: 60px; width: min(26rem, calc(100vw - 2rem)); height: min(40rem, calc(100dvh - 6rem)); border: 0; border-radius: 1rem; box-shadow: 0 10px 40px #0005; background: Canvas; }
    iframe[hidden] { display: none; }`);
  class Chat extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [look];
      const button = document.createElement("button");
      button.textContent = me.dataset.label || "GPU?";
      button.setAttribute("aria-expanded", "false");
      let frame = null;
      const show = (open) => {
        if (open && !frame) {
          frame = document.createElement("iframe");
          frame.src = `${base}/?embed=1`;
          frame.title = button.textContent;
          root.append(frame);
        }
        if (frame) frame.hidden = !open;
        button.setAttribute("aria-expanded", String(open));
      };
      button.addEventListener("click", () => show(!frame || frame.hidden));
      root.addEventListener("keydown", (event) => event.key === "Escape" && (show(false), button.focus()));
      root.append(button);
    }
  }
  customElements.define("xuanka-chat", Chat);
  const put = () => document.body.append(document.createElement("xuanka-chat"));
  if (document.body) put();
  else addEventListener("DOMContentLoaded", put);
})();
