// WeCom's own client against a server: node client.mjs URL BOT_ID SECRET. Every event is one line of JSON on standard
// output; it ends when standard input ends.
import { WSClient } from '@wecom/aibot-node-sdk';

const [url, botId, secret] = process.argv.slice(2);
const tell = (event, more = {}) => process.stdout.write(`${JSON.stringify({ event, ...more })}\n`);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const client = new WSClient({
  botId,
  secret,
  wsUrl: url,
  heartbeatInterval: 100,
  reconnectInterval: 50,
  maxReconnectAttempts: 3,
  maxAuthFailureAttempts: 2,
  logger: quiet,
});
const tried = async (name, work) => {
  try {
    const ack = await work();
    tell('acknowledged', { name, errcode: ack?.errcode });
  } catch (error) {
    tell('refused', { name, errcode: error?.errcode ?? null });
  }
};
for (const name of ['connected', 'authenticated', 'disconnected', 'reconnecting', 'error']) {
  client.on(name, (detail) => tell(name, { detail: detail?.code ?? String(detail ?? '') }));
}
client.on('message.text', async (frame) => {
  const text = frame.body.text.content;
  tell('message.text', { text, chat: frame.body.chatid ?? frame.body.from.userid });
  if (text === 'push to a stranger') {
    await tried('stranger', () => client.sendMessage('nobody', { msgtype: 'markdown', markdown: { content: 'hi' } }));
    return;
  }
  await tried('half', () => client.replyStream(frame, 'stream-1', 'half', false));
  await tried('whole', () => client.replyStream(frame, 'stream-1', `whole: ${text}`, true));
  const target = frame.body.chatid ?? frame.body.from.userid;
  await tried('push', () => client.sendMessage(target, { msgtype: 'markdown', markdown: { content: 'pushed' } }));
});
client.on('message.mixed', (frame) => tell('message.mixed', { items: frame.body.mixed.msg_item.length }));
client.on('message.voice', (frame) => tell('message.voice', { text: frame.body.voice.content }));
client.on('event.enter_chat', async (frame) => {
  await tried('welcome', () => client.replyWelcome(frame, { msgtype: 'text', text: { content: 'welcome' } }));
});
client.on('event.template_card_event', async (frame) => {
  const card = {
    card_type: 'button_interaction',
    main_title: { title: 'done' },
    button_list: [{ text: 'done', key: 'k' }],
    task_id: frame.body.event.template_card_event.task_id,
  };
  await tried('stream on a card event', () => client.replyStream(frame, 'stream-2', 'no', true));
  await tried('update', () => client.updateTemplateCard(frame, card));
});
client.on('event.disconnected_event', () => tell('event.disconnected_event'));
process.stdin.resume();
process.stdin.on('end', () => {
  client.disconnect();
  process.exit(0);
});
client.connect();
