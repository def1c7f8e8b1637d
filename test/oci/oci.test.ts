// References to registries and layouts, and the documents that are stored there: one byte sequence of ours, and a strict reader.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { absolute } from '../../src/io/layout-folder.ts'
import {
  INDEX_TYPE,
  MANIFEST_TYPE,
  MAX_MANIFEST_BYTES,
  readIndex,
  withManifests,
  writeIndex,
} from '../../src/oci/document.ts'
import {
  readBundleManifest,
  sha256Of,
  signatureDocument,
  writeAttachedManifest,
  writeBundleManifest,
} from '../../src/oci/manifest.ts'
import {
  impliedBy,
  isOciPrefix,
  ociPrefixText,
  ociReferenceText,
  readOciPrefix,
  readOciReference,
  tagOfVersion,
  versionOfTag,
  withImplied,
} from '../../src/oci/reference.ts'
import { isOciReference } from '../../src/oci/scheme.ts'
import { expectationText, readExpectation } from '../../src/version/reference.ts'
import { made, RELEASE } from '../support/install-world.ts'

const HEX = 'a'.repeat(64)

describe('a reference', () => {
  const read = (text: string) => {
    const found = readOciReference(text)
    assert.ok('value' in found, `${text}: ${'problem' in found ? found.problem : ''}`)
    return found.value
  }

  test('names host, port, repository, tag and digest', () => {
    assert.deepEqual(read('oci://registry.example/agents/mailer:0.1.0'), {
      place: { in: 'registry', host: 'registry.example', port: undefined, repository: 'agents/mailer' },
      tag: '0.1.0',
      digest: undefined,
    })
    assert.deepEqual(read(`oci://LOCALHOST:5000/a__b/c-d.pro@sha256:${HEX}`), {
      place: { in: 'registry', host: 'localhost', port: 5000, repository: 'a__b/c-d.pro' },
      tag: undefined,
      digest: `sha256:${HEX}`,
    })
    assert.deepEqual(read('oci://[::1]:5000/a').place, {
      in: 'registry',
      host: '[::1]',
      port: 5000,
      repository: 'a',
    })
    assert.deepEqual(read(`oci-layout:dist/store:1.0.0_x@sha256:${HEX}`), {
      place: { in: 'layout', folder: 'dist/store' },
      tag: '1.0.0_x',
      digest: `sha256:${HEX}`,
    })
    assert.deepEqual(read('oci-layout:/a:b/store').place, { in: 'layout', folder: '/a:b/store' })
    assert.deepEqual(read('oci-layout:/store@2').place, { in: 'layout', folder: '/store@2' })
  })

  for (const [text, problem] of [
    ['OCI://host/a', /lower case/],
    ['oci://', /names no repository/],
    ['oci://host', /names no repository/],
    ['oci:///a', /host/],
    ['oci://host/', /names no repository/],
    ['oci://host//', /names no repository/],
    ['oci://host/a//', /a repository has parts/],
    ['oci://host/a:1/', /a tag has/],
    ['oci://host/a:1.2.3+build', /a tag has no "\+"/],
    [`oci://host/a:sha256-${HEX}`, /leads to what is attached/],
    [`oci://host/a:sha256-${HEX}.sig@sha256:${HEX}`, /leads to what is attached/],
    [`oci-layout:store:sha256-${HEX}`, /leads to what is attached/],
    [`oci://host/a/@sha256:${HEX}`, /a repository has parts/],
    ['oci://host/A', /a repository has parts/],
    ['oci://host/a/b/', /every repository below it/],
    ['oci://host/a//b', /a repository has parts/],
    ['oci://host/a___b', /a repository has parts/],
    ['oci://host/-a', /a repository has parts/],
    ['oci://host/../a', /a repository has parts/],
    ['oci://host/a?b', /a repository has parts/],
    ['oci://host/a#b', /a repository has parts/],
    ['oci://host/a%2fb', /a repository has parts/],
    ['oci://user:secret@host/a', /after @/],
    ['oci://user@host/a:1', /after @/],
    ['oci://0x7f.1/a', /valid name or address/],
    ['oci://host:0/a', /port/],
    ['oci://host:99999/a', /port/],
    ['oci://hóst/a', /ASCII/],
    ['oci://host/a:', /a tag has/],
    ['oci://host/a:.b', /a tag has/],
    ['oci://host/a:1.0.0+b', /a tag has/],
    [`oci://host/a:${'a'.repeat(129)}`, /a tag has/],
    ['oci://host/a@sha256:abc', /after @/],
    [`oci://host/a@sha512:${HEX}`, /after @/],
    [`oci://host/a@sha256:${HEX.toUpperCase()}`, /after @/],
    [`oci://host/a@sha256:${HEX}@sha256:${HEX}`, /after @/],
    [`oci://host/${'a'.repeat(260)}`, /more than 255/],
    ['oci://host/a b', /white space/],
    ['oci://host/a\u0000', /control/],
    ['oci-layout:', /names no folder/],
    ['oci-layout::1', /names no folder/],
    ['oci-layout:a:', /a tag has/],
    ['oci-layout:a@sha256:abc', /64 hex/],
  ] as const) {
    test(`not: ${text.slice(0, 50)}`, () => {
      assert.ok(isOciReference(text))
      const found = readOciReference(text)
      assert.match('problem' in found ? found.problem : 'it was read', problem)
    })
  }

  test('paths and other urls are no references', () => {
    for (const text of ['mailer', './oci-layout:a', 'https://host/a', 'file:///a', 'oci:a', 'oci-layout'])
      assert.ok(!isOciReference(text), text)
  })

  test('reads back as it is written', () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,8}(?:[._-][a-z0-9]{1,4})?$/)
    const tag = fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,12}$/), { nil: undefined })
    const digest = fc.constantFrom(undefined, `sha256:${HEX}`)
    const place = fc.oneof(
      fc.record({
        in: fc.constant('registry' as const),
        host: fc.constantFrom('localhost', 'registry.example', '127.0.0.1', '[::1]'),
        port: fc.constantFrom(undefined, 5000),
        repository: fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/')),
      }),
      fc.record({
        in: fc.constant('layout' as const),
        folder: fc
          .stringMatching(/^\/[a-z0-9 :._-]{1,12}\/[a-z0-9._-]{1,8}$/)
          .filter(folder => !folder.includes(' ')),
      }),
    )
    fc.assert(
      fc.property(fc.record({ place, tag, digest }), reference => {
        assert.deepEqual(read(ociReferenceText(reference)), structuredClone(reference))
      }),
    )
  })

  test('of a layout gets an absolute folder, and keeps tag and digest', () => {
    for (const [given, expected] of [
      ['oci-layout:store:1', '/w/store:1'],
      ['oci-layout:../store', '/store'],
      [`oci-layout:/x/store@sha256:${HEX}`, `/x/store@sha256:${HEX}`],
      ['oci-layout:.:1', '/w/.:1'],
      ['oci-layout:a:b/', '/w/a:b/'],
    ] as const)
      assert.equal(absolute(given, '/w'), `oci-layout:${expected}`)
    assert.equal(absolute('oci://host/a', '/w'), 'oci://host/a')
  })
})

describe('the agent that a reference implies', () => {
  const implied = (text: string) => {
    const found = readOciReference(text)
    const expectation = 'value' in found ? impliedBy(found.value) : undefined
    return expectation && expectationText(expectation)
  }

  test('is its last part, and the version if the tag is one', () => {
    assert.equal(implied('oci://h/x/mailer:0.1.0'), 'mailer@=0.1.0')
    assert.equal(implied('oci://h/mailer.pro:0.1.0_build.5'), 'mailer@pro@=0.1.0+build.5')
    assert.equal(implied('oci://h/mailer:latest'), 'mailer')
    assert.equal(implied(`oci://h/mailer@sha256:${HEX}`), 'mailer')
    assert.equal(implied(`oci://h/mailer:0.1.0@sha256:${HEX}`), 'mailer@=0.1.0')
    assert.equal(implied('oci://h/mailer-agent:1.0.0'), 'version 1.0.0')
    assert.equal(implied('oci://h/a.b.c:latest'), undefined)
    assert.equal(implied('oci-layout:mailer:1.0.0'), 'version 1.0.0')
    assert.equal(implied('oci-layout:mailer:latest'), undefined)
  })

  test('with words for it: the words say who, and the tag says which version unless they do', () => {
    const tag = impliedBy({ place: { in: 'layout', folder: 'x' }, tag: '1.0.0', digest: undefined })
    const asked = (text: string) => {
      const read = readExpectation(text)
      assert.ok(read)
      return expectationText(withImplied(read, tag))
    }
    assert.equal(asked('mailer'), 'mailer@=1.0.0')
    assert.equal(asked('mailer@pro'), 'mailer@pro@=1.0.0')
    assert.equal(asked('mailer@^2'), 'mailer@^2')
  })

  test('tags and versions lead to each other', () => {
    for (const version of ['0.1.0', '1.0.0-rc.1', '1.0.0+build.5', '1.0.0-a-b+c.d-e']) {
      const tag = tagOfVersion(version)
      assert.equal(tag && versionOfTag(tag), version)
    }
    assert.equal(tagOfVersion(`1.0.0-${'a'.repeat(130)}`), undefined)
    for (const tag of ['latest', '1', '1.0', 'v1.0.0', '1.0.0_a_b', '01.0.0'])
      assert.equal(versionOfTag(tag), undefined)
  })
})

const BUNDLE = made({}, RELEASE)
const FACTS = {
  title: 'mini-1.0.0.agent.bundle',
  version: '1.0.0',
  identity: 'b'.repeat(64),
  digest: sha256Of(BUNDLE),
  size: BUNDLE.length,
}
const MANIFEST = writeBundleManifest(FACTS)
const NAMED = { mediaType: MANIFEST_TYPE, digest: sha256Of(MANIFEST), size: MANIFEST.length }
const golden = (name: string) => readFileSync(`fixtures/oci/${name}.json`, 'utf8')

describe('what is stored', () => {
  test('has one byte sequence', () => {
    assert.equal(Buffer.from(MANIFEST).toString(), golden('manifest'))
    const signature = writeAttachedManifest(signatureDocument(Buffer.from('{}')), NAMED)
    assert.equal(Buffer.from(signature).toString(), golden('signature'))
    const tagged = { ...NAMED, annotations: { 'org.opencontainers.image.ref.name': '1.0.0' } }
    assert.equal(Buffer.from(withManifests(undefined, [tagged])).toString(), golden('index'))
    const listed = {
      mediaType: MANIFEST_TYPE,
      digest: sha256Of(signature),
      size: signature.length,
      artifactType: 'application/vnd.runloop.agent.signature.v1',
    }
    assert.equal(Buffer.from(withManifests(undefined, [listed])).toString(), golden('fallback-index'))
  })

  test('what others wrote into an index stays', () => {
    const other = {
      ...NAMED,
      digest: `sha256:${HEX}`,
      platform: { os: 'linux' },
      urls: ['https://x.example'],
    }
    const before = writeIndex([other])
    const read = readIndex(before, INDEX_TYPE)
    assert.ok('value' in read)
    const after = JSON.parse(Buffer.from(withManifests(read.value, [NAMED])).toString())
    assert.deepEqual(after.manifests, [other, NAMED])
    const again = readIndex(withManifests(read.value, [NAMED]), INDEX_TYPE)
    assert.ok('value' in again)
    assert.deepEqual(JSON.parse(Buffer.from(withManifests(again.value, [NAMED])).toString()), after)
  })
})

describe('what is read', () => {
  const base = JSON.parse(MANIFEST.toString()) as Record<string, unknown>
  const layers = base['layers'] as readonly Record<string, unknown>[]
  const problemOf = (document: unknown, type: string = MANIFEST_TYPE) => {
    const bytes = typeof document === 'string' ? Buffer.from(document) : Buffer.from(JSON.stringify(document))
    const read = readBundleManifest(bytes, type)
    return 'problem' in read ? read.problem : undefined
  }

  test('the positive control, with members that nothing reads', () => {
    assert.equal(problemOf(base), undefined)
    assert.equal(
      problemOf({ ...base, note: 1, layers: [{ ...layers[0], urls: ['https://x.example'] }] }),
      undefined,
    )
  })

  for (const [what, document, problem, type] of [
    ['an index', base, /an index of several/, INDEX_TYPE],
    ['another type of answer', base, /media type is not/, 'application/json'],
    ['another mediaType inside', { ...base, mediaType: INDEX_TYPE }, /not the one that it was sent with/],
    ['no mediaType inside', { ...base, mediaType: undefined }, /not the one that it was sent with/],
    ['schema version 1', { ...base, schemaVersion: 1 }, /schemaVersion/],
    ['manifests beside layers', { ...base, manifests: [] }, /"manifests" beside/],
    ['no layer', { ...base, layers: [] }, /0 layers/],
    ['two layers', { ...base, layers: [layers[0], layers[0]] }, /2 layers/],
    ['layers that are no list', { ...base, layers: layers[0] }, /no layers/],
    ['another artifact', { ...base, artifactType: 'application/x.y' }, /no manifest of an agent bundle/],
    ['no artifactType', { ...base, artifactType: undefined }, /no manifest of an agent bundle/],
    [
      'an image’s layer',
      { ...base, layers: [{ ...layers[0], mediaType: 'application/vnd.oci.image.layer.v1.tar' }] },
      /layer is not/,
    ],
    [
      'a layer with sha512',
      { ...base, layers: [{ ...layers[0], digest: `sha512:${HEX}${HEX}` }] },
      /no sha256/,
    ],
    [
      'a digest that is a path',
      { ...base, layers: [{ ...layers[0], digest: 'sha256:../../etc' }] },
      /no sha256/,
    ],
    ['a negative size', { ...base, layers: [{ ...layers[0], size: -1 }] }, /no size/],
    ['a size in words', { ...base, layers: [{ ...layers[0], size: '1' }] }, /no size/],
    ['no config', { ...base, config: undefined }, /config/],
    ['an invalid subject', { ...base, subject: {} }, /subject/],
    ['annotations with numbers', { ...base, annotations: { a: 1 } }, /annotations/],
    ['a key twice', `{"schemaVersion":2,${JSON.stringify(base).slice(1)}`, /strict JSON/],
    ['a list', [base], /not an object/],
    ['no JSON', 'x', /strict JSON/],
    ['nothing', '', /strict JSON/],
    [
      'too many values',
      { ...base, note: Array.from({ length: 100_001 }, () => 0) },
      /more than 100000 values/,
    ],
    ['too many bytes', { ...base, note: 'x'.repeat(MAX_MANIFEST_BYTES) }, /more than 4194304 bytes/],
    ['a name of every object', `{"__proto__":{},${JSON.stringify(base).slice(1)}`, /strict JSON/],
  ] as const) {
    test(`not: ${what}`, () => assert.match(problemOf(document, type) ?? 'it was read', problem))
  }

  test('an index: layers beside manifests, and things that are no manifests, are refused', () => {
    const problem = (document: unknown) => {
      const read = readIndex(Buffer.from(JSON.stringify(document)), INDEX_TYPE)
      return 'problem' in read ? read.problem : undefined
    }
    const index = JSON.parse(Buffer.from(withManifests(undefined, [NAMED])).toString())
    assert.equal(problem(index), undefined)
    assert.match(problem({ ...index, layers: [] }) ?? '', /"layers" beside/)
    assert.match(problem({ ...index, config: {} }) ?? '', /"config" beside/)
    assert.match(problem({ ...index, manifests: {} }) ?? '', /no list/)
    assert.match(problem({ ...index, manifests: [{}] }) ?? '', /no media type/)
    assert.match(problem({ ...index, mediaType: undefined }) ?? '', /sent with/)
  })
})

test('a prefix is a registry, or the first parts of its repositories, and reads back as it is written', () => {
  for (const [text, parts] of [
    ['oci://host/', []],
    ['oci://HOST:5000/a/', ['a']],
    ['oci://[::1]/a/b.c/', ['a', 'b.c']],
  ] as const) {
    assert.ok(isOciPrefix(text))
    const found = readOciPrefix(text)
    assert.ok('value' in found, text)
    assert.deepEqual(found.value.parts, parts)
    assert.equal(ociPrefixText(found.value), text.toLowerCase())
  }
  for (const text of ['oci://host', 'oci://host/a', 'oci-layout:store/', 'store/'])
    assert.deepEqual([isOciPrefix(text), 'problem' in readOciPrefix(text)], [false, true])
  for (const text of ['oci:///', 'oci://host//', 'oci://host/A/', 'oci://host/a:1/', 'oci://u@host/a/'])
    assert.deepEqual([isOciPrefix(text), 'problem' in readOciPrefix(text)], [true, true])
})
