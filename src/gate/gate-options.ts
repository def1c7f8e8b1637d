// Options of `rlp gate --listen` → who may ask it, and what.
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { UsageError } from '../model/error.ts'
import { askerToken } from '../net/serve/asker.ts'
import { type ListenAddress, listenAddress } from '../net/serve/listen-address.ts'
import { namedFiles, type ServedPlaces, servedPrefixes } from './service/served-places.ts'

export const SERVICE_OPTIONS = {
  listen: {
    type: 'string',
    placeholder: 'ADDRESS',
    describe: 'answer over HTTP at unix:PATH, or at 127.0.0.1:PORT with --token-file (docs/gate.md)',
  },
  'token-file': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'a file with the token that askers at a port have to send',
  },
  serve: {
    type: 'strings',
    placeholder: 'PREFIX',
    describe: 'a folder, or the beginning of a reference, below which questions over HTTP may name bundles',
  },
  'serve-lock': {
    type: 'strings',
    placeholder: 'NAME=FILE',
    describe: 'a lock that questions over HTTP may name',
  },
  'serve-attestations': {
    type: 'strings',
    placeholder: 'NAME=FILE',
    describe: 'a file of statements that questions over HTTP may name',
  },
} as const satisfies OptionTable

type ServiceArgs = ArgsOf<typeof SERVICE_OPTIONS, readonly []>

export interface Listened {
  readonly address: ListenAddress
  readonly token: Uint8Array | undefined
  readonly served: ServedPlaces
}

/** Undefined for a gate that reads lines. @throws UsageError, and as reading the token */
export async function listenedIn(args: ServiceArgs, cwd: string): Promise<Listened | undefined> {
  const { listen, tokenFile, serve = [], serveLock = [], serveAttestations = [] } = args
  if (listen === undefined) {
    refuseAlone(args)
    return undefined
  }
  const address = listenAddress(listen)
  return {
    address,
    token: await askerToken(address, tokenFile, cwd),
    served: {
      ...servedPrefixes(serve, cwd),
      locks: namedFiles('serve-lock', serveLock, cwd),
      attestations: namedFiles('serve-attestations', serveAttestations, cwd),
    },
  }
}

function refuseAlone(args: ServiceArgs): void {
  const given = {
    'token-file': args.tokenFile,
    serve: args.serve,
    'serve-lock': args.serveLock,
    'serve-attestations': args.serveAttestations,
  }
  for (const [field, value] of Object.entries(given))
    if (value !== undefined && value.length > 0)
      throw new UsageError(
        `Cannot use --${field} without --listen: a question in a line names what it likes`,
        {
          field,
          hint: 'Add --listen, or leave it out',
        },
      )
}
