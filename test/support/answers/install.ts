// The functions that install, list and remove agents, keep locks, and merge reports.
import { install, listInstalled, mergeReports, uninstall } from '../../../src/library/generated/index.ts'
import {
  lockAdd,
  lockCheck,
  lockList,
  lockOutdated,
  lockRemove,
  lockUpdate,
} from '../../../src/library/generated/lock.ts'
import { listVersions } from '../../../src/library/generated/registry.ts'
import type { AnswerOf } from './line.ts'

export const INSTALL_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'agent install': ({ args: [bundle = ''], cwd, env }) => install(bundle, { cwd, env, mayBegin: () => true }),
  'agent list': ({ args: [stored], cwd, env }) =>
    stored === undefined ? listInstalled({ cwd, env }) : listVersions(stored, { cwd, env }),
  'agent uninstall': ({ args: [agent = ''], cwd, env }) => uninstall(agent, { cwd, env }),
  'lock add': ({ args: [bundle = ''], cwd, env }) => lockAdd([bundle], { cwd, env }),
  'report merge': ({ args, cwd, env }) => mergeReports(args, { cwd, env }),
  'lock check': ({ cwd, env }) => lockCheck({ cwd, env }),
  'lock list': ({ cwd }) => lockList({ cwd }),
  'lock outdated': ({ cwd, env }) => lockOutdated({ cwd, env }),
  'lock update': ({ cwd, env }) => lockUpdate({ cwd, env, dryRun: true }),
  'lock remove': ({ args: [agent = ''], cwd }) => lockRemove([agent], { cwd, dryRun: true }),
}
