// Reads [{op, ...}] from standard input and answers with WeCom's own crypto, as JSON.
import * as official from '@wecom/crypto';
import { WecomCrypto } from '@wecom/aibot-node-sdk';
import { readFileSync } from 'node:fs';

const results = JSON.parse(readFileSync(0, 'utf8')).map((job) => {
  const sdk = new WecomCrypto(job.token, job.key, job.id);
  if (job.op === 'encrypt') {
    const encrypt = official.encrypt(job.key, job.text, job.id);
    const other = sdk.encrypt(job.text, job.timestamp, job.nonce);
    return {
      encrypt,
      signature: official.getSignature(job.token, job.timestamp, job.nonce, encrypt),
      other: other.encrypt,
      otherSignature: other.signature,
    };
  }
  const opened = official.decrypt(job.key, job.encrypt);
  return {
    text: opened.message,
    id: opened.id,
    other: sdk.decrypt(job.encrypt),
    signature: official.getSignature(job.token, job.timestamp, job.nonce, job.encrypt),
    accepted: sdk.verifySignature(job.signature ?? '', job.timestamp, job.nonce, job.encrypt),
  };
});
process.stdout.write(JSON.stringify(results));
