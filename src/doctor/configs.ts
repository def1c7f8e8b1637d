// config.toml of the system and of the user: whether each can be relied upon.
import { join } from 'node:path'
import { operatorConfig } from '../io/config.ts'
import { CONFIG_NAME, homeLabel } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import type { HealthCheck, HealthLine } from './check.ts'
import { wrongLine } from './look.ts'

export const configs = {
  name: 'config',
  async look({ home, system }) {
    const lines: HealthLine[] = []
    for (const folder of [system, home]) {
      const path = join(folder, CONFIG_NAME)
      const what = `config ${homeLabel(path)}`
      try {
        if (entryOrNothing(path) === undefined) continue
        if (folder === home) refuseForeignWay(home, new Ways())
        await operatorConfig({ system: path, home: false })
        lines.push({ level: 'ok', what, state: 'it can be read' })
      } catch (error) {
        lines.push(wrongLine(what, error))
      }
    }
    return lines.length > 0 ? lines : [{ level: 'ok', what: 'config', state: 'there is none' }]
  },
} as const satisfies HealthCheck
