const otherForm = 'another version of ingestd wrote the folders of this account';

/**
 * Lua for what Redis keeps of each folder, as one text: its ledger, its path, the Redis that was told, the ledger's last
 * holder, its name in the configuration, where it is known, and the paths above it, each behind a blank. A text of another
 * form is an error: whose that folder is, is not known then.
 */
export const folderTextLua = `
local function folderText(folder, ask)
  return table.concat({ ask.name, folder.path, ask.redis, ask.host, folder.name, folder.machine,
    table.concat(folder.above, ' ') }, ' ')
end
local function readFolder(text)
  local ledger, path, told, holder, name, machine, above =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)(.*)$')
  if not ledger then error('${otherForm}') end
  return { ledger = ledger, path = path, told = told, holder = holder, name = name, machine = machine, above = above }
end
`;

/** In the place of the Redis that was told: a host has only remembered whose the folder was. */
export const recalled = 'recalled';

/** A key of scripts: how often the folders have changed, since Redis may last have forgotten some (`born`). */
export const foldersVersion = ['foldersVersion', () => 'folders:version'] as const;

/** Lua for a script with the keys `folders` and `foldersVersion`. */
export const knownFoldersLua = `
-- Redis has forgotten none of the folders that it knew when it said this of itself.
local function remembersAll(born)
  return born == redis.call('HGET', foldersVersion, 'born') and string.sub(born, 1, #ask.redis) == ask.redis
end
local function setFolder(key, text)
  redis.call('HSET', folders, key, text)
  redis.call('HINCRBY', foldersVersion, 'changes', 1)
end
local function dropFolder(key)
  redis.call('HDEL', folders, key)
  redis.call('HINCRBY', foldersVersion, 'changes', 1)
end
`;

/**
 * Lua for the folder of another ledger that is this one, lies in it, or has it in it; nil: there is none. Its holder is
 * running where it has renewed its lease in time by Redis's clock: nothing but words depends on that. Where this ledger's
 * holder has the folder (`isMine`), one that was only remembered goes.
 */
export const inTheWayLua = `
${folderTextLua}
${knownFoldersLua}
local function inTheWay(folder, listed, isMine)
  local above, key, found = {}, nil, nil
  for _, path in ipairs(folder.above) do above[path] = true end
  for i = 1, #listed, 2 do
    local other = readFolder(listed[i + 1])
    local where = (listed[i] == folder.key or other.path == folder.path) and 'same' or above[other.path] and 'around'
      or string.find(other.above, ' ' .. folder.path, 1, true) and 'inside'
    if where and other.ledger ~= ask.name then
      if isMine and other.told == '${recalled}' then dropFolder(listed[i])
      elseif not key or listed[i] < key then
        local lease = redis.call('HMGET', ask.prefix .. ':lease:' .. other.ledger, 'host', 'at', 'alone')
        local isRunning = (lease[1] or '') ~= '' and (lease[3] == '1' or now - tonumber(lease[2]) <= ask.lifeMs)
        key, found = listed[i], { folder = folder.key, host = other.holder, where = where, isRunning = isRunning }
      end
    end
  end
  return found
end
`;
