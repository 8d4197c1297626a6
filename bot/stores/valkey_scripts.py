"""The steps that must be whole, in Lua. KEYS[1] is the tag under which every key of the script lies.

Keys under a tag: `event:<event>` a hash per message; `lane:<conversation>` the list of its open events;
`owner:<conversation>` who works on it; `chats` a sorted set chat -> round in which it was last served; `ready:<chat>` a
sorted set conversation -> moment from which it may be claimed; `open` a sorted set event -> when it was accepted;
`round` the running number.
"""

from __future__ import annotations

_HELD = """
local tag, owner, lane, event, chat = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('GET', tag .. ':owner:' .. lane) ~= owner then return 0 end
if redis.call('LINDEX', tag .. ':lane:' .. lane, 0) ~= event then return 0 end
local item = tag .. ':event:' .. event
"""

_LEASE = """
local function lease(tag, chat, lane, owner, now, lease_s)
  redis.call('ZADD', tag .. ':ready:' .. chat, now + lease_s, lane)
  redis.call('SET', tag .. ':owner:' .. lane, owner)
  redis.call('ZADD', tag .. ':chats', redis.call('INCR', tag .. ':round'), chat)
  local event = redis.call('LINDEX', tag .. ':lane:' .. lane, 0)
  local row = redis.call('HMGET', tag .. ':event:' .. event, 'message', 'reply', 'sends', 'accepted', 'passive')
  return {event, row[1], row[2] or '', row[3], row[4], row[5]}
end
"""

SCRIPTS: dict[str, str] = {
    "accept": """
local tag, event, lane, chat, message, now, capacity, passive = KEYS[1], unpack(ARGV)
local item = tag .. ':event:' .. event
if redis.call('EXISTS', item) == 1 then return 1 end
if tonumber(capacity) > 0 and redis.call('ZCARD', tag .. ':open') >= tonumber(capacity) then return 2 end
redis.call('HSET', item, 'message', message, 'sends', 0, 'accepted', now, 'passive', passive)
redis.call('ZADD', tag .. ':open', now, event)
if redis.call('RPUSH', tag .. ':lane:' .. lane, event) == 1 then
  redis.call('ZADD', tag .. ':ready:' .. chat, 0, lane)
  redis.call('ZADD', tag .. ':chats', 'NX', 0, chat)
end
return 0
""",
    "claim": _LEASE
    + """
local tag, owner, now, lease_s, abandoned = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local from = 0
while from < 4096 do
  local chats = redis.call('ZRANGE', tag .. ':chats', from, from + 63)
  if #chats == 0 then return false end
  for _, chat in ipairs(chats) do
    local lanes = redis.call('ZRANGE', tag .. ':ready:' .. chat, '-inf', now, 'BYSCORE', 'LIMIT', 0, 16)
    for _, lane in ipairs(lanes) do
      local event = redis.call('LINDEX', tag .. ':lane:' .. lane, 0)
      local row = redis.call('HMGET', tag .. ':event:' .. event, 'passive', 'accepted')
      if row[1] ~= '1' or tonumber(row[2]) <= abandoned then
        return lease(tag, chat, lane, owner, now, lease_s)
      end
    end
  end
  from = from + 64
end
return false
""",
    "claim_lane": _LEASE
    + """
local tag, owner, now, lease_s, lane, chat = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local due = redis.call('ZSCORE', tag .. ':ready:' .. chat, lane)
if not due or tonumber(due) > now then return false end
return lease(tag, chat, lane, owner, now, lease_s)
""",
    "renew": _HELD
    + """
redis.call('ZADD', tag .. ':ready:' .. chat, ARGV[5], lane)
return 1
""",
    "handled": _HELD
    + """
redis.call('HSET', item, 'message', ARGV[5], 'reply', ARGV[6])
redis.call('HINCRBY', item, 'sends', 1)
local index = tag .. ':of:' .. ARGV[9]
redis.call('SADD', index, item)
if ARGV[7] ~= '' then
  local state = tag .. ':state:' .. lane
  redis.call('SET', state, ARGV[7], 'EX', ARGV[8])
  redis.call('SADD', index, state)
end
redis.call('EXPIRE', index, 172800)
return 1
""",
    "resending": _HELD
    + """
redis.call('HINCRBY', item, 'sends', 1)
return 1
""",
    "postpone": _HELD
    + """
redis.call('ZADD', tag .. ':ready:' .. chat, ARGV[5], lane)
redis.call('DEL', tag .. ':owner:' .. lane)
return 1
""",
    "finish": _HELD
    + """
redis.call('HSET', item, 'outcome', ARGV[5], 'sent_id', ARGV[6], 'message', '')
redis.call('EXPIRE', item, ARGV[8])
redis.call('ZREM', tag .. ':open', event)
redis.call('LPOP', tag .. ':lane:' .. lane)
redis.call('DEL', tag .. ':owner:' .. lane)
if redis.call('LLEN', tag .. ':lane:' .. lane) > 0 then
  redis.call('ZADD', tag .. ':ready:' .. chat, 0, lane)
else
  redis.call('ZREM', tag .. ':ready:' .. chat, lane)
  if redis.call('ZCARD', tag .. ':ready:' .. chat) == 0 then redis.call('ZREM', tag .. ':chats', chat) end
end
return 1
""",
    "forget": """
local index, gone = KEYS[1] .. ':of:' .. ARGV[1], 0
local kept = {}
for _, key in ipairs(redis.call('SMEMBERS', index)) do
  if redis.call('TYPE', key).ok == 'hash' and redis.call('HEXISTS', key, 'outcome') == 0 then
    kept[#kept + 1] = key
  else
    gone = gone + redis.call('DEL', key)
  end
end
redis.call('DEL', index)
if #kept > 0 then redis.call('SADD', index, unpack(kept)) redis.call('EXPIRE', index, 172800) end
return gone
""",
    "take": """
local now, rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local row = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(row[1]) or burst, tonumber(row[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local wait = 0
if tokens >= cost then tokens = tokens - cost else wait = (cost - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(math.max(now, at)))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 60)
return tostring(wait)
""",
    "lead": """
local row = redis.call('HMGET', KEYS[1], 'owner', 'until')
if row[1] and row[1] ~= ARGV[1] and tonumber(row[2]) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', tostring(ARGV[2] + ARGV[3]))
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[3])) + 60)
return 1
""",
    "resign": """
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
""",
}
