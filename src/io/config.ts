// config.toml of the system and of the user → what the operator has decided here. A file that cannot be relied upon stops the command: it is
// never treated as "no config".

import { join } from 'node:path'
import { bothConfigs, readConfig } from '../config/config.ts'
import type { Config } from '../model/config.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import { CONFIG_NAME, homeLabel, runloopHome, SYSTEM_CONFIG } from './home.ts'
import { readOwn } from './owner/read-own.ts'
import { Ways } from './owner/ways.ts'

interface ConfigPlaces {
  /** For tests; `/etc/runloop/config.toml` by default. */
  readonly system?: string
  /** `~/.runloop` or `$RUNLOOP_HOME`; false: only the system's file counts. */
  readonly home?: string | false
}

/** @throws RlpError USAGE for a malformed file, with line and column; NO_PERMISSION for one that others may write or lead elsewhere */
export async function operatorConfig(places: ConfigPlaces = {}): Promise<Config> {
  const { system = SYSTEM_CONFIG, home = runloopHome() } = ownMembers(places)
  const ways = new Ways()
  const ofSystem = await readFile(system, ways)
  if (home === false) return ofSystem
  return bothConfigs(ofSystem, await readFile(join(home, CONFIG_NAME), ways, home))
}

/** What counts where neither file states anything. */
export const NO_CONFIG: Config = {
  confirmExternalActions: undefined,
  sandbox: undefined,
  sandboxUser: undefined,
  memoryMb: undefined,
  mirrors: undefined,
  registryTimeout: undefined,
  lockConsent: undefined,
}

async function readFile(path: string, ways: Ways, home?: string): Promise<Config> {
  const bytes = await readOwn(path, ways, { home })
  if (bytes === undefined) return NO_CONFIG
  const label = homeLabel(path)
  const read = readConfig(label, bytes)
  if (read.ok) return read.config
  const { line, column, message } = read
  throw new RlpError('USAGE', `Cannot rely on ${label}:${line}:${column}: ${message}`, {
    hint: 'Correct the line, or remove it; docs/operator.md lists every key',
  })
}
