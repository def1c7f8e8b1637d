// The registry of places where an identity token comes from, in the order in which they are asked. A token is a secret while it is valid: it is handed to
// Fulcio alone.
import { namedPath } from '../../io/home.ts'
import { readFile } from '../../io/read/read-file.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { MOST_TOKEN_CHARACTERS } from '../../sigstore/identity-token.ts'
import { urlOf } from '../../sigstore/signing-config.ts'
import { serviceAnswer } from './exchange.ts'
import type { SigningExchange } from './question.ts'
import { answerMalformed } from './service-words.ts'

/** Who Fulcio asks tokens to be for. */
export const AUDIENCE = 'sigstore'

export interface TokenQuery {
  /** The token itself, as a caller of the library has it. */
  readonly text?: string | undefined
  /** A file that has it, as a person names it. */
  readonly file?: string | undefined
  readonly cwd: string
}

export interface TokenText {
  readonly text: string
  /** For messages, after *the identity token*: `in SIGSTORE_ID_TOKEN`. */
  readonly where: string
  /** Whether asking again gives a newer one. */
  readonly isRenewed: boolean
}

interface TokenSource {
  /** For people: what to do to have a token come from here. */
  readonly way: string
  /** Undefined where it has none. */
  find(query: TokenQuery, exchange: SigningExchange): Promise<TokenText | undefined>
}

const VARIABLE = 'SIGSTORE_ID_TOKEN'
const GITHUB_URL = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const GITHUB_TOKEN = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const MOST_ANSWER_BYTES = 64 * 1024

const SOURCES: readonly TokenSource[] = [
  {
    way: 'name a file that has it with --identity-token',
    async find({ text, file, cwd }) {
      if (text !== undefined) return { text, where: 'that was given', isRenewed: false }
      if (file === undefined) return undefined
      return { text: await textIn(file, cwd), where: `in "${file}"`, isRenewed: true }
    },
  },
  {
    // GitLab puts a token there that a job asks for under `id_tokens`.
    way: `set ${VARIABLE} (GitLab: id_tokens with aud: ${AUDIENCE})`,
    async find(_, { env }) {
      const text = own(env, VARIABLE)
      return text ? { text, where: `in ${VARIABLE}`, isRenewed: false } : undefined
    },
  },
  {
    way: 'give the job of GitHub Actions permissions: id-token: write',
    async find(_, exchange) {
      const [url, token] = [own(exchange.env, GITHUB_URL), own(exchange.env, GITHUB_TOKEN)]
      return url && token ? fromGitHub(url, token, exchange) : undefined
    },
  },
]

/** @throws RlpError NOT_FOUND if there is none; as reading a file, and as asking a pipeline does */
export async function findToken(query: TokenQuery, exchange: SigningExchange): Promise<TokenText> {
  for (const source of SOURCES) {
    const found = await source.find(query, exchange)
    if (found !== undefined) return found
  }
  const ways = SOURCES.map(({ way }) => way)
  throw new RlpError('NOT_FOUND', `Cannot ${exchange.doing} without a key: there is no identity token`, {
    hint: `To have one, ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)} (docs/keyless.md)`,
  })
}

async function textIn(name: string, cwd: string): Promise<string> {
  const larger = (size: number) => {
    throw new RlpError(
      'WRONG_FILE_TYPE',
      `Cannot use the identity token in "${name}": it has ${size} bytes`,
      {
        hint: 'Name a file that has the token and nothing else',
      },
    )
  }
  const reading = { follow: true, label: name, most: MOST_TOKEN_CHARACTERS, larger }
  return Buffer.from(await readFile(namedPath(name, cwd), reading)).toString('latin1')
}

/** A job that may ask for tokens is told where, and with which token of its own. */
async function fromGitHub(place: string, token: string, given: SigningExchange): Promise<TokenText> {
  const url = urlOf(place)
  const exchange = { ...given, secrets: [...given.secrets, token] }
  if (url === undefined || !/^[\x21-\x7e]+$/.test(token))
    throw new RlpError('SIGNER', `Cannot ${given.doing}: ${GITHUB_URL} or ${GITHUB_TOKEN} is malformed`, {
      hint: 'The runner sets both. Leave them as they are',
    })
  url.searchParams.set('audience', AUDIENCE)
  const question = {
    ...({ service: 'GitHub Actions', method: 'GET', url, mostBytes: MOST_ANSWER_BYTES } as const),
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    hint: 'Check that the job has permissions: id-token: write',
  }
  const { bytes } = await serviceAnswer(question, exchange)
  const text = valueIn(bytes)
  if (text === undefined) throw answerMalformed(question, exchange, 'it has no token')
  return { text, where: 'of GitHub Actions', isRenewed: true }
}

function valueIn(bytes: Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const text = isTable(value) ? own(value, 'value') : undefined
    return typeof text === 'string' ? text : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
