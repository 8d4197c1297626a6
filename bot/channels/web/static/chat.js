"use strict";
const talk = document.getElementById("talk");
const form = document.getElementById("ask");
const text = document.getElementById("text");

function add(kind) {
  const box = document.createElement("div");
  box.className = kind;
  talk.append(box);
  return box;
}

async function ask(body, shown) {
  add("said").textContent = shown;
  const reply = add("reply");
  reply.textContent = "…";
  try {
    const response = await fetch("/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error || response.status);
    // The server escapes everything a user typed and sends only <b>, <code>, <pre>, <a> and <blockquote>.
    reply.innerHTML = answer.html;
    if (answer.choices.length) {
      const row = add("choices");
      for (const choice of answer.choices) {
        const button = document.createElement("button");
        button.textContent = choice.label;
        button.addEventListener("click", () => ask({ action: choice.key }, choice.label));
        row.append(button);
      }
    }
  } catch (error) {
    reply.textContent = "出错了 / Something broke: " + error.message;
  }
  window.scrollTo(0, document.body.scrollHeight);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = text.value.trim();
  if (!said) return;
  text.value = "";
  ask({ text: said }, said);
});
