// The functions that edit and judge by trust policies, and keep channels.
import {
  channelInit,
  channelStatus,
  trustAdd,
  trustDiff,
  trustExplain,
  trustFloor,
  trustGroup,
  trustList,
  trustRemove,
  trustRequire,
  trustReset,
  trustRevoke,
  trustStatus,
  trustTest,
  trustUpdate,
} from '../../../src/library/generated/trust.ts'
import type { AnswerOf, Line } from './line.ts'

/** Names the signers as a person does: a key by its name in the folder of keys. */
const adding: AnswerOf = ({ cwd, env, args: [name = '', key = '', option, bundle] }) =>
  trustAdd(name, {
    cwd,
    env,
    key,
    ...(option === '--for' && { for: bundle ?? '' }),
    mayGrant: () => true,
  })

const dry = ({ cwd, env }: Line) => ({ cwd, env, dryRun: true })

export const TRUST_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'trust add': adding,
  'trust remove': line => trustRemove('third', dry(line)),
  'trust revoke': line => trustRevoke('second', dry(line)),
  'trust group': ({ cwd, env }) => trustGroup('both', { cwd, env, of: ['release', 'second'], atLeast: 1 }),
  'trust require': line => trustRequire({ ...dry(line), signatures: 1 }),
  'trust floor': ({ cwd, env }) => trustFloor('other', '0.0.1', { cwd, env }),
  'trust reset': line => trustReset('mailer', dry(line)),
  'trust list': ({ cwd, env }) => trustList({ cwd, env }),
  'trust explain': ({ cwd, env, args: [bundle = ''] }) => trustExplain(bundle, { cwd, env }),
  'trust test': ({ cwd, env, args: [file = ''] }) => trustTest(file, { cwd, env }),
  'trust diff': ({ cwd, env, args: [before = '', after = ''] }) => trustDiff(before, after, { cwd, env }),
  'trust update': ({ cwd, env }) => trustUpdate({ cwd, env }),
  'trust status': ({ cwd, env }) => trustStatus({ cwd, env }),
  'channel init': ({ cwd, env }) =>
    channelInit('house', {
      cwd,
      env,
      name: 'house',
      keys: ['release'],
      threshold: 1,
      heartbeatKeys: ['second'],
    }),
  'channel status': ({ cwd, env }) => channelStatus('house', { cwd, env }),
}
