"""The steps that must be whole, in Lua. KEYS[1] is the tag under which every key of the script lies.

Time is the server's, one for all replicas; a number in place of the empty text is for tests. What lies further ahead
than its own length (`wait`) was written before that clock was set back, and is cut to its length from now.

Keys under a tag: `event:<event>` a hash per message; `lane:<conversation>` the list of its open events;
`hold:<conversation>` who works on it, until when it is leased or postponed, and how often its head was claimed;
`chats` a sorted set chat -> round in which it was last served; `ready:<chat>` a sorted set conversation -> moment from
which any worker may claim it (oldest message first); `open` a sorted set event -> when it was accepted; `round` the
running number; `state:<conversation>` and `answers:<conversation>` what it remembers; `of:<user>` the set of keys that
`forget` erases. Chats of the version before have no bot in their names; they are served all the same.
"""

from __future__ import annotations

_CLOCK = """
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end
"""

_HELD = (
    _CLOCK
    + """
local tag, owner, lane, event, chat = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local hold, line, ready = tag .. ':hold:' .. lane, tag .. ':lane:' .. lane, tag .. ':ready:' .. chat
if redis.call('HGET', hold, 'owner') ~= owner then return 0 end
if redis.call('LINDEX', line, 0) ~= event then return 0 end
local item = tag .. ':event:' .. event
"""
)

_LEASE = (
    _CLOCK
    + """
local function lease(tag, lane, owner, now, lease_s)
  local event = redis.call('LINDEX', tag .. ':lane:' .. lane, 0)
  if not event then return false end
  local row = redis.call('HMGET', tag .. ':event:' .. event, 'message', 'reply', 'sends', 'accepted', 'passive', 'chat')
  local chat = row[6]
  redis.call('ZADD', tag .. ':ready:' .. chat, now + lease_s, lane)
  redis.call('HSET', tag .. ':hold:' .. lane, 'owner', owner, 'due', now + lease_s, 'wait', lease_s)
  redis.call('ZADD', tag .. ':chats', redis.call('INCR', tag .. ':round'), chat)
  local claims = redis.call('HINCRBY', tag .. ':hold:' .. lane, 'claims', 1)
  local state = row[2] and '' or redis.call('GET', tag .. ':state:' .. lane) or ''
  local answers = redis.call('GET', tag .. ':answers:' .. lane) or ''
  return {event, row[1], row[2] or '', row[3], row[4], row[5], lane, chat, claims, tostring(now), tag, state, answers}
end
local function cut(tag, chat, lane, due, now, grace)
  local hold = tag .. ':hold:' .. lane
  local wait = tonumber(redis.call('HGET', hold, 'wait')) or grace
  if tonumber(due) <= now + wait + 1 then return end
  redis.call('ZADD', tag .. ':ready:' .. chat, now + wait, lane)
  if redis.call('EXISTS', hold) == 1 then redis.call('HSET', hold, 'due', now + wait) end
end
"""
)

SCRIPTS: dict[str, str] = {
    "time": _CLOCK + "return tostring(clock(''))",
    "accept": _LEASE
    + """
local tag, event, lane, chat, message, given, capacity, passive, grace, owner, lease_s = KEYS[1], unpack(ARGV)
local now = clock(given)
local item = tag .. ':event:' .. event
if redis.call('EXISTS', item) == 1 then return 1 end
if tonumber(capacity) > 0 and redis.call('ZCARD', tag .. ':open') >= tonumber(capacity) then return 2 end
redis.call('HSET', item, 'message', message, 'sends', 0, 'accepted', now, 'passive', passive, 'chat', chat)
redis.call('ZADD', tag .. ':open', now, event)
if redis.call('RPUSH', tag .. ':lane:' .. lane, event) == 1 then
  redis.call('ZADD', tag .. ':ready:' .. chat, passive == '1' and now + grace or now, lane)
  -- A chat enters the round behind those that wait already, never before them.
  redis.call('ZADD', tag .. ':chats', 'NX', redis.call('GET', tag .. ':round') or 0, chat)
  if owner ~= '' then return lease(tag, lane, owner, now, tonumber(lease_s)) end
end
return 0
""",
    "claim": _LEASE
    + """
local owner, now, lease_s, grace = ARGV[1], clock(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local function is_ours(chat)
  if ARGV[5] == 'any' then return true end
  local _, colons = string.gsub(chat, ':', '')
  for place = 6, #ARGV do
    local own = ARGV[place]
    if colons ~= 2 then own = string.match(own, '^[^:]*:') end
    if string.sub(chat, 1, #own) == own then return true end
  end
  return false
end
local function next_in(tag)
  local from = 0
  while true do
    local chats = redis.call('ZRANGE', tag .. ':chats', from, from + 255)
    if #chats == 0 then return false end
    for _, chat in ipairs(chats) do
      if is_ours(chat) then
        local ready = tag .. ':ready:' .. chat
        local lanes = redis.call('ZRANGE', ready, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)
        if lanes[1] then return lease(tag, lanes[1], owner, now, lease_s) end
        local late = '(' .. (now + lease_s + 1)
        local ahead = redis.call('ZRANGE', ready, '+inf', late, 'BYSCORE', 'REV', 'LIMIT', 0, 16, 'WITHSCORES')
        for place = 1, #ahead, 2 do cut(tag, chat, ahead[place], ahead[place + 1], now, grace) end
      end
    end
    from = from + 256
  end
end
for _, tag in ipairs(KEYS) do
  local row = next_in(tag)
  if row then return row end
end
return false
""",
    "claim_lane": _LEASE
    + """
local tag, owner, given, lease_s, grace, lane, chat = KEYS[1], unpack(ARGV)
local now = clock(given)
local due = redis.call('HGET', tag .. ':hold:' .. lane, 'due')
if due and tonumber(due) > now then
  cut(tag, chat, lane, due, now, tonumber(grace))
  return false
end
return lease(tag, lane, owner, now, tonumber(lease_s))
""",
    "renew": _HELD
    + """
local due = clock(ARGV[5]) + ARGV[6]
redis.call('ZADD', ready, due, lane)
redis.call('HSET', hold, 'due', due, 'wait', ARGV[6])
return 1
""",
    "handled": _HELD
    + """
redis.call('HSET', item, 'message', ARGV[5], 'reply', ARGV[6], 'ttl', ARGV[8])
redis.call('HINCRBY', item, 'sends', 1)
if ARGV[7] ~= '' then
  local state, index = tag .. ':state:' .. ARGV[10], tag .. ':of:' .. ARGV[9]
  redis.call('SET', state, ARGV[7], 'EX', ARGV[8])
  redis.call('SADD', index, state)
  redis.call('EXPIRE', index, 172800)
end
return 1
""",
    "resending": _HELD
    + """
redis.call('HINCRBY', item, 'sends', 1)
return 1
""",
    "postpone": _HELD
    + """
local due = clock(ARGV[5]) + ARGV[6]
redis.call('ZADD', ready, due, lane)
redis.call('HSET', hold, 'owner', '', 'due', due, 'wait', ARGV[6])
return 1
""",
    "finish": _HELD
    + """
redis.call('HSET', item, 'outcome', ARGV[5], 'sent_id', ARGV[6])
-- What stays is the mark; a reply only where its caller may ask again.
if redis.call('HGET', item, 'passive') == '1' then
  redis.call('HDEL', item, 'message', 'chat')
  local index = tag .. ':of:' .. ARGV[9]
  redis.call('SADD', index, item)
  redis.call('EXPIRE', index, 172800)
else
  redis.call('HDEL', item, 'message', 'chat', 'reply')
end
redis.call('EXPIRE', item, ARGV[7])
redis.call('ZREM', tag .. ':open', event)
redis.call('LPOP', line)
redis.call('DEL', hold)
if ARGV[10] ~= '' then
  local answers, index = tag .. ':answers:' .. lane, tag .. ':of:' .. ARGV[9]
  redis.call('SET', answers, ARGV[10], 'EX', redis.call('HGET', item, 'ttl') or 1800)
  redis.call('SADD', index, answers)
  redis.call('EXPIRE', index, 172800)
end
local following = redis.call('LINDEX', line, 0)
if following then
  local row = redis.call('HMGET', tag .. ':event:' .. following, 'accepted', 'passive')
  redis.call('ZADD', ready, row[2] == '1' and row[1] + ARGV[8] or row[1], lane)
else
  redis.call('ZREM', ready, lane)
  if redis.call('ZCARD', ready) == 0 then redis.call('ZREM', tag .. ':chats', chat) end
end
return 1
""",
    "forget": """
local index, gone = KEYS[1] .. ':of:' .. ARGV[1], 0
for _, key in ipairs(redis.call('SMEMBERS', index)) do gone = gone + redis.call('DEL', key) end
redis.call('DEL', index)
return gone
""",
    "take": _CLOCK
    + """
local now, rate, burst, cost = clock(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local row = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(row[1]) or burst, tonumber(row[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local wait = 0
if tokens >= cost then tokens = tokens - cost else wait = (cost - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.3f', now))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 60)
return tostring(wait)
""",
    "take_all": _CLOCK
    + """
local now, left = clock(ARGV[1]), {}
for place, key in ipairs(KEYS) do
  local rate, burst = tonumber(ARGV[2 * place]), tonumber(ARGV[2 * place + 1])
  local row = redis.call('HMGET', key, 'tokens', 'at')
  local tokens, at = tonumber(row[1]) or burst, tonumber(row[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
  if at > now then redis.call('HSET', key, 'at', string.format('%.3f', now)) end
  if tokens < 1 then return place end
  left[place] = {tokens - 1, now, math.ceil(burst / rate) + 60}
end
for place, key in ipairs(KEYS) do
  redis.call('HSET', key, 'tokens', tostring(left[place][1]), 'at', string.format('%.3f', left[place][2]))
  redis.call('EXPIRE', key, left[place][3])
end
return 0
""",
    "lead": _CLOCK
    + """
local now, lease_s = clock(ARGV[2]), tonumber(ARGV[3])
local row = redis.call('HMGET', KEYS[1], 'owner', 'until', 'span')
if row[1] and row[1] ~= ARGV[1] and tonumber(row[2]) > now then
  local most = now + (tonumber(row[3]) or lease_s)
  if tonumber(row[2]) > most + 1 then redis.call('HSET', KEYS[1], 'until', string.format('%.3f', most)) end
  return 0
end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', string.format('%.3f', now + lease_s), 'span', lease_s)
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[3])) + 60)
return 1
""",
    "resign": """
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
""",
}
