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
