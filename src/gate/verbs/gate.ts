// The gate of the library: answers questions of this process, and of others over HTTP. rlp gate does it for those that ask in lines.
import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import { refuseUnknownMembers } from '../../io/library/unknown-members.ts'
import { isTable } from '../../model/own.ts'
import { askerToken } from '../../net/serve/asker.ts'
import { listenAddress } from '../../net/serve/listen-address.ts'
import {
  type At,
  callback,
  checked,
  defineVerb,
  givenText,
  givenTexts,
  type Input,
} from '../../verb/index.ts'
import { JUDGING, judgingBy } from '../../verify/judging-inputs.ts'
import { type GateListening, type GatePlace, gateHere, type OpenGate } from '../open-gate.ts'
import { servedPrefixes } from '../service/served-places.ts'

const listen: Input<GateListening, GatePlace | undefined> = {
  type: 'GateListening',
  fromGiven: listeningGiven,
}

async function listeningGiven(given: GateListening, at: At): Promise<GatePlace> {
  const { world } = at
  refuseUnknownMembers(given, ['at', 'tokenFile', 'serve', 'locks', 'attestations'], 'listen')
  const { at: place, tokenFile, serve = [], locks, attestations } = given
  const of = (field: string) => ({ ...at, field: `listen.${field}` })
  const address = listenAddress(givenText(place, of('at')))
  const file = tokenFile === undefined ? undefined : pathGiven(tokenFile, world, 'read the token in')
  return {
    address,
    token: await askerToken(address, file, world.cwd),
    served: {
      ...servedPrefixes(givenTexts(serve, of('serve')), world.cwd),
      locks: namedFiles(locks, of('locks')),
      attestations: namedFiles(attestations, of('attestations')),
    },
  }
}

function namedFiles(files: GateListening['locks'] = {}, at: At): ReadonlyMap<string, string> {
  const named = Object.entries(givenFiles(files, at))
  return new Map(named.map(([name, path]) => [name, pathGiven(path, at.world, 'serve')]))
}

const givenFiles = checked(
  (given): given is Readonly<Record<string, PathGiven>> => isTable(given),
  'an object with a path for each name',
)

const { trustPolicy, home, state } = JUDGING

/**
 * A gate: it answers whether bundles may be used, and never allows what it cannot tell in time. `signal` ends it as `close` does.
 *
 * @example
 * const gate = await openGate({ trustPolicy: '/etc/deploy/trust-policy.toml' })
 * const { allow, verdict } = await gate.ask({ bundle: 'dist/mailer-0.1.0.agent.bundle', expect: 'mailer@^0.1' })
 * console.log(allow, verdict)
 * await gate.close()
 *
 * @throws {@link RlpError} `USAGE` for an address, `NOT_FOUND` for a folder that is to be served, `WRONG_FILE_TYPE` for a token, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'gate',
  called: 'openGate',
  summary: 'tell another program whether a bundle may be used',
  inputs: {
    trustPolicy,
    home,
    state,
    /** Answer other programs over HTTP too (docs/gate.md). */
    listen,
    /** Told a defect of rlp; the question was refused. */
    onDefect: callback<(error: unknown) => void>('(error: unknown) => void'),
  },
  run({ listen, onDefect = () => {}, ...asked }, world): Promise<OpenGate> {
    const judging = { ...asked, allowDev: false, attestations: undefined, now: undefined }
    return gateHere({ listen, onDefect, trust: judgingBy(judging, world) }, world)
  },
})
