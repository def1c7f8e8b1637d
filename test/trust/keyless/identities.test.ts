// Every member of an identity, right and wrong in each way that others got wrong, judged through the whole: a certificate is made, proven by the library against
// a root, and compared with the policy. Positive control first.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerTo, GITLAB_ANCHOR, GITLAB_JOB, policyFor } from '../../support/keyless-world.ts'
import { type Certifying, claim, GITHUB, JOB, JOB_ANCHOR, utf8 } from '../../support/sigstore-world.ts'

const TRUSTED = 'trusted'
const NOT = 'untrusted no_counted_signature'

interface Case {
  readonly anchor?: string
  readonly claims?: Readonly<Record<number, string | undefined>>
  readonly certifying?: Certifying
  readonly answer: string
}

const of = (claims: Case['claims'] = {}): Record<number, string> =>
  Object.fromEntries(
    Object.entries({ ...JOB, ...claims }).flatMap(([number, text]) =>
      text === undefined ? [] : [[number, text]],
    ),
  )

async function answer({ anchor = JOB_ANCHOR, claims, certifying }: Case): Promise<string> {
  return answerTo({ policy: policyFor(anchor), certifying: { claims: of(claims), ...certifying } })
}

function all(what: string, cases: Readonly<Record<string, Case>>): void {
  describe(what, () => {
    for (const [name, one] of Object.entries(cases))
      test(`${name}: ${one.answer}`, async () => assert.equal(await answer(one), one.answer))
  })
}

/** A job at another ref, or of another file: everything that follows from it follows. */
const at = (
  ref: string,
  file = 'release.yml',
  source: string = JOB[12],
): Readonly<Record<number, string>> => {
  const config = `${source}/.github/workflows/${file}@${ref}`
  return { 9: config, 12: source, 14: ref, 18: config }
}

all('the job that is meant', {
  'as it is': { answer: TRUSTED },
  'a renamed repository with the same id': {
    claims: at('refs/tags/v1.0.0', 'release.yml', 'https://github.com/acme-inc/mini-agent'),
    answer: TRUSTED,
  },
  'another tag that the ref allows': { claims: at('refs/tags/v2.0.0'), answer: TRUSTED },
  'by the hand of a person who may': { claims: { 20: 'workflow_dispatch' }, answer: TRUSTED },
  'at a release': { claims: { 20: 'release' }, answer: TRUSTED },
  'by the clock': { claims: { 20: 'schedule' }, answer: TRUSTED },
})

all('the issuer', {
  other: { claims: { 8: 'https://token.actions.example.com' }, answer: NOT },
  missing: { claims: { 8: undefined }, answer: NOT },
  'in another case': { claims: { 8: GITHUB.toUpperCase() }, answer: NOT },
  'a prefix': { claims: { 8: GITHUB.slice(0, -1) }, answer: NOT },
  'a suffix': { claims: { 8: `${GITHUB}/` }, answer: NOT },
})

all('the repository', {
  'another id with the same name': { claims: { 15: '987654321' }, answer: NOT },
  'an id that begins so': { claims: { 15: '1234567890' }, answer: NOT },
  'the beginning of the id': { claims: { 15: '12345678' }, answer: NOT },
  'without an id': { claims: { 15: undefined }, answer: NOT },
  'a fork': {
    claims: {
      ...at('refs/tags/v1.0.0', 'release.yml', 'https://github.com/mallory/mini'),
      15: '555',
      17: '666',
    },
    answer: NOT,
  },
  'of another owner': { claims: { 17: '43' }, answer: NOT },
  'without an owner': { claims: { 17: undefined }, answer: NOT },
})

all('the workflow', {
  'another file': { claims: at('refs/tags/v1.0.0', 'test.yml'), answer: NOT },
  'in another case': { claims: at('refs/tags/v1.0.0', 'Release.yml'), answer: NOT },
  'a file that begins so': { claims: at('refs/tags/v1.0.0', 'release.yml.yml'), answer: NOT },
  'a file that ends so': { claims: at('refs/tags/v1.0.0', 'x/release.yml'), answer: NOT },
  'its own at another ref': {
    claims: { 18: `${JOB[12]}/.github/workflows/release.yml@refs/heads/main` },
    answer: NOT,
  },
  'one of another repository': {
    claims: { 18: 'https://github.com/mallory/mini/.github/workflows/release.yml@refs/tags/v1.0.0' },
    answer: NOT,
  },
  'behind a slash more': {
    claims: { 18: `${JOB[12]}//.github/workflows/release.yml@refs/tags/v1.0.0` },
    answer: NOT,
  },
  'a query that ends so': {
    claims: { 18: `https://evil.example/x?u=${JOB[18]}`, 9: `https://evil.example/x?u=${JOB[18]}` },
    answer: NOT,
  },
  missing: { claims: { 18: undefined }, answer: NOT },
  'without its source': { claims: { 12: undefined }, answer: NOT },
})

const REUSED = 'https://github.com/acme/build/.github/workflows/agent.yml'
const BUILDER = `${JOB_ANCHOR}, builder = "${REUSED}", builder_digest = "${'b'.repeat(40)}"`

all('a reusable workflow', {
  'that no policy names': { claims: { 9: `${REUSED}@refs/heads/main` }, answer: NOT },
  'of one’s own, that no policy names': {
    claims: { 9: `${JOB[12]}/.github/workflows/build.yml@refs/tags/v1.0.0` },
    answer: NOT,
  },
  'that the policy names': {
    anchor: BUILDER,
    claims: { 9: `${REUSED}@refs/heads/main`, 10: 'b'.repeat(40) },
    answer: TRUSTED,
  },
  'at another commit': {
    anchor: BUILDER,
    claims: { 9: `${REUSED}@refs/heads/main`, 10: 'c'.repeat(40) },
    answer: NOT,
  },
  'of others': {
    anchor: BUILDER,
    claims: {
      9: 'https://github.com/mallory/build/.github/workflows/agent.yml@refs/heads/main',
      10: 'b'.repeat(40),
    },
    answer: NOT,
  },
  'that begins so': { anchor: BUILDER, claims: { 9: `${REUSED}.yml@main`, 10: 'b'.repeat(40) }, answer: NOT },
  'without a ref': { anchor: BUILDER, claims: { 9: REUSED, 10: 'b'.repeat(40) }, answer: NOT },
  'that is needed, and is not there': { anchor: BUILDER, answer: NOT },
  'without what signed': { claims: { 9: undefined }, answer: NOT },
})

const EXACT = JOB_ANCHOR.replace('refs/tags/v*', 'refs/tags/v1.0.0')

all('the ref', {
  'a branch': { claims: at('refs/heads/main'), answer: NOT },
  'a branch that is called like a tag': { claims: at('refs/heads/v1.0.0'), answer: NOT },
  'the ref of a pull request': { claims: { ...at('refs/pull/7/merge'), 20: 'pull_request' }, answer: NOT },
  'that begins before the *': { claims: at('refs/tags/'), answer: NOT },
  'exactly the one': { anchor: EXACT, answer: TRUSTED },
  'one that begins so': { anchor: EXACT, claims: at('refs/tags/v1.0.01'), answer: NOT },
  'its beginning': { anchor: EXACT, claims: at('refs/tags/v1.0'), answer: NOT },
  missing: { claims: { 14: undefined }, answer: NOT },
})

const DEPLOYED = JOB_ANCHOR.replace('ref = "refs/tags/v*"', 'environment = "release"')

all('the environment', {
  'the one': { anchor: DEPLOYED, claims: { 23: 'release' }, answer: TRUSTED },
  'on any branch': { anchor: DEPLOYED, claims: { ...at('refs/heads/main'), 23: 'release' }, answer: TRUSTED },
  other: { anchor: DEPLOYED, claims: { 23: 'staging' }, answer: NOT },
  missing: { anchor: DEPLOYED, answer: NOT },
  'in another case': { anchor: DEPLOYED, claims: { 23: 'Release' }, answer: NOT },
})

const RUNNER = `${JOB_ANCHOR}, runner = "github-hosted"`

all('the runner', {
  'the one': { anchor: RUNNER, answer: TRUSTED },
  other: { anchor: RUNNER, claims: { 11: 'self-hosted' }, answer: NOT },
  missing: { anchor: RUNNER, claims: { 11: undefined }, answer: NOT },
  'not asked for': { claims: { 11: 'self-hosted' }, answer: TRUSTED },
})

const TRIGGERED = `${JOB_ANCHOR}, trigger = "workflow_run"`

all('the trigger', {
  ...Object.fromEntries(
    ['pull_request', 'pull_request_target', 'workflow_run', 'issue_comment', 'Push', ''].map(text => [
      `by itself, ${text || 'empty'}`,
      { claims: { 20: text }, answer: NOT },
    ]),
  ),
  missing: { claims: { 20: undefined }, answer: NOT },
  named: { anchor: TRIGGERED, claims: { 20: 'workflow_run' }, answer: TRUSTED },
  'other than named': { anchor: TRIGGERED, answer: NOT },
})

const ADA = 'issuer = "https://id.example", email = "ada@acme.example"'
const person = (names: Certifying['names'], more: Readonly<Record<number, string>> = {}): Case => ({
  anchor: ADA,
  answer: NOT,
  certifying: { claims: { 8: 'https://id.example', ...more }, ...(names && { names }) },
})

all('a person', {
  'as they are': { ...person([[1, 'ada@acme.example']]), answer: TRUSTED },
  'in another case': person([[1, 'Ada@acme.example']]),
  'another issuer’s': {
    ...person([[1, 'ada@acme.example']]),
    certifying: { claims: { 8: 'https://id2.example' }, names: [[1, 'ada@acme.example']] },
  },
  'the address as a URI': person([[6, 'ada@acme.example']]),
  'and a second name': person([
    [1, 'ada@acme.example'],
    [1, 'eve@evil.example'],
  ]),
  'and a URI': person([
    [1, 'ada@acme.example'],
    [6, 'https://evil.example'],
  ]),
  'without a name': person([]),
  'with an empty name': person([[1, '']]),
  'with a NUL': person([[1, 'ada@acme.example\0']]),
})

const SPIFFE = 'issuer = "https://id.example", subject = "spiffe://acme/release"'
const workload = (uri: string, more: Readonly<Record<number, string>> = {}): Case => ({
  anchor: SPIFFE,
  answer: NOT,
  certifying: { claims: { 8: 'https://id.example', ...more }, names: [[6, uri]] },
})

all('a subject', {
  'as it is': { ...workload('spiffe://acme/release'), answer: TRUSTED },
  'that begins so': workload('spiffe://acme/release/2'),
  'its beginning': workload('spiffe://acme/releas'),
  'of a certificate that names a repository': workload('spiffe://acme/release', { 15: '1' }),
})

all('GitLab', {
  'as it is': { anchor: GITLAB_ANCHOR, certifying: { claims: GITLAB_JOB }, answer: TRUSTED },
  'with one slash': {
    anchor: GITLAB_ANCHOR,
    certifying: {
      claims: {
        ...GITLAB_JOB,
        9: GITLAB_JOB[9].replace('//.', '/.'),
        18: GITLAB_JOB[18].replace('//.', '/.'),
      },
    },
    answer: NOT,
  },
  'by a merge request': {
    anchor: GITLAB_ANCHOR,
    certifying: { claims: { ...GITLAB_JOB, 20: 'merge_request_event' } },
    answer: NOT,
  },
})

all('the certificate', {
  'with an extension twice': { certifying: { more: [claim(15, utf8('123456789'))] }, answer: NOT },
  'with another value the second time': { certifying: { more: [claim(15, utf8('1'))] }, answer: NOT },
  'with a value that is no text': {
    certifying: { claims: of({ 15: undefined }), more: [claim(15, Buffer.from('123456789'))] },
    answer: NOT,
  },
  'with bytes behind a value': {
    certifying: {
      claims: of({ 15: undefined }),
      more: [claim(15, Buffer.concat([utf8('123456789'), Buffer.of(0)]))],
    },
    answer: NOT,
  },
})
