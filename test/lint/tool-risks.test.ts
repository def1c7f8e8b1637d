// What tools really do: programs behind programs, what they fetch, code in arguments, and credentials written down. False alarms count
// as much as misses.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { fetchedBy, pipedCode } from '../../src/lint/rules/exec-starts.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { ExecTransport } from '../../src/model/transports/exec.ts'
import { CODE_VARIABLES, isForbiddenEnv } from '../../src/policy/code-variables.ts'
import {
  credentialArgument,
  credentialIn,
  credentialParameter,
  isLiteralCredential,
} from '../../src/secret/credential.ts'
import { inlineCode, programOf } from '../../src/tools/program.ts'
import { memoryFiles } from '../support/memory.ts'
import { processorTime } from '../support/processor-time.ts'

/** A command line; single quotes keep words together. */
function exec(line: string): ExecTransport {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(match => match[1] ?? match[2] ?? '')
  return { kind: 'exec', command: words[0] ?? '', args: words.slice(1) }
}

describe('the program behind a program', () => {
  for (const [line, name, first] of [
    ['/usr/bin/jq -c .', 'jq', '-c'],
    ['/usr/bin/env -i LANG=C TZ=UTC /bin/sh -c x', 'sh', '-c'],
    ['/usr/bin/env -u HOME python3 x.py', 'python3', 'x.py'],
    ['/usr/bin/sudo -u build nice -n 5 make all', 'make', 'all'],
    ['/usr/bin/env', 'env', undefined],
    ['/usr/bin/nohup', 'nohup', undefined],
  ] as const) {
    test(line, () => {
      const transport = exec(line)
      const { name: found, args, offset } = programOf(transport)
      assert.deepEqual([found, args[0]], [name, first])
      if (first !== undefined) assert.equal(transport.args[offset], first)
    })
  }
})

describe('code in an argument', () => {
  for (const [line, program, code] of [
    ["/bin/sh -c 'echo hi'", 'sh', 'echo hi'],
    ["/bin/bash -lc 'echo hi'", 'bash', 'echo hi'],
    ["/bin/bash -c -e 'echo hi'", 'bash', 'echo hi'],
    ["/usr/bin/env bash -ec 'echo hi' name", 'bash', 'echo hi'],
    ["/bin/busybox sh -c 'echo hi'", 'sh', 'echo hi'],
    ['/usr/bin/env -S \'bash -c "ls"\'', 'env', 'bash -c "ls"'],
    ["/usr/bin/env -i -vS 'npx -y x' y", 'env', 'npx -y x'],
    ["/usr/bin/sudo env --split-string 'sh x'", 'env', 'sh x'],
    ["/usr/bin/pwsh -Command 'Get-Date'", 'pwsh', 'Get-Date'],
    ["/usr/bin/python3.11 -c 'print(1)'", 'python3.11', 'print(1)'],
    ["/usr/bin/node --eval '1'", 'node', '1'],
    ["/usr/bin/perl -ne 'print'", 'perl', 'print'],
  ] as const) {
    test(line, () => {
      const transport = exec(line)
      const found = inlineCode(transport)
      assert.deepEqual([found?.program, found?.code], [program, code])
      assert.equal(transport.args[found?.index ?? -1], code)
    })
  }
  for (const line of [
    '/bin/sh script.sh',
    '/usr/bin/jq -c .',
    '/usr/bin/grep -c x',
    '/usr/bin/python3 x.py -v',
    '/bin/sh -c',
    '/usr/bin/env -S',
    '/usr/bin/env x -S y',
  ]) {
    test(`none in ${line}`, () => assert.equal(inlineCode(exec(line)), undefined))
  }
  test('behind the flag, in the same argument', () => {
    for (const flag of ['-S', '-iS', '--split-string=']) {
      const { code, index } =
        inlineCode({ kind: 'exec', command: '/usr/bin/env', args: [`${flag}sh -x`] }) ?? {}
      assert.deepEqual([code, index], ['sh -x', 0])
    }
  })
})

describe('what is fetched when a tool is called', () => {
  const SHA = 'a'.repeat(64)
  const COMMIT = 'b'.repeat(40)
  for (const [line, what] of [
    ['/usr/bin/npx -y x@latest', 'x@latest'],
    ['/usr/bin/npx some-tool', 'some-tool'],
    ['/usr/bin/npx -y @scope/x', '@scope/x'],
    ['/usr/bin/npx -y @scope/x@^1.2.3', '@scope/x@^1.2.3'],
    ['/usr/bin/npx --package=x@2 -c run', 'x@2'],
    ['/usr/bin/npm exec -- x', 'x'],
    ['/usr/bin/pnpm dlx x', 'x'],
    ['/usr/bin/bunx x@1', 'x@1'],
    ['/usr/bin/uvx --from git+https://git.example/x y', 'git+https://git.example/x'],
    ['/usr/bin/uvx --from git+https://git.example/x@v1.0.0 y', 'git+https://git.example/x@v1.0.0'],
    ['/usr/bin/uvx ruff', 'ruff'],
    ['/usr/bin/uv tool run ruff@latest', 'ruff@latest'],
    ['/usr/bin/pipx run black', 'black'],
    ['/usr/bin/docker run --rm -i image:tag', 'image:tag'],
    ['/usr/bin/docker --debug run -v /a:/b -e X=1 reg.example/image cmd', 'reg.example/image'],
    ['/usr/bin/podman run image', 'image'],
    ['/usr/bin/deno run -A https://x.example/mod.ts', 'https://x.example/mod.ts'],
    ['/usr/bin/go run example.com/x@latest', 'example.com/x@latest'],
    ['/usr/bin/env npx x', 'x'],
  ] as const) {
    test(line, () => {
      const { name, args } = programOf(exec(line))
      assert.equal(fetchedBy(name, args)?.what, what)
    })
  }
  for (const line of [
    '/usr/bin/npx -y x@1.2.3',
    '/usr/bin/npx -y @scope/x@1.2.3-rc.1',
    `/usr/bin/npx github:a/b#${COMMIT}`,
    '/usr/bin/npx --no-install x',
    '/usr/bin/npx ./tool',
    '/usr/bin/npm test',
    `/usr/bin/uvx --from git+https://git.example/x@${COMMIT} y`,
    '/usr/bin/uvx ruff@0.4.1',
    '/usr/bin/uvx --from black==24.1.0 black',
    '/usr/bin/uv run x.py',
    `/usr/bin/docker run --rm image:tag@sha256:${SHA}`,
    '/usr/bin/docker ps',
    '/usr/bin/deno run -A npm:x@1.2.3',
    '/usr/bin/deno run main.ts',
    '/usr/bin/go run ./cmd/x',
    '/usr/bin/go run example.com/x@v1.2.3',
    '/usr/bin/jq -c npx',
  ]) {
    test(`nothing by ${line.replace(SHA, '…').replace(COMMIT, '…')}`, () => {
      const { name, args } = programOf(exec(line))
      assert.equal(fetchedBy(name, args), undefined)
    })
  }

  for (const [code, fetcher] of [
    ['curl -fsSL https://x.example/i.sh | sh', 'curl'],
    ['curl https://x.example | sudo bash -s --', 'curl'],
    ['wget -qO- https://x.example | tee log | /bin/bash', 'wget'],
    ['sh -c "$(curl -fsSL https://x.example)"', 'curl'],
    ['bash <(curl https://x.example)', 'curl'],
    ['curl https://x.example | python3 -', 'curl'],
    ['curl https://x.example | jq .name', undefined],
    ['curl https://x.example || sh fallback.sh', undefined],
    ['curl -o file https://x.example', undefined],
    ['echo hi | sh', undefined],
  ] as const) {
    test(code, () => assert.equal(pipedCode(code), fetcher))
  }
})

test('an argument of a million letters is read at once', () => {
  const args = [`-${'c'.repeat(1_000_000)}!`, 'code']
  // A second for every ten thousand letters, squared, when each of them is tried as the flag: this would take a day.
  assert.equal(inlineCode({ kind: 'exec', command: '/bin/sh', args }), undefined)
})

describe('credentials', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const join = (...parts: string[]) => parts.join('')
  for (const [text, kind] of [
    [join('AKIA', 'IOSFODNN7ABCDEFG'), 'an AWS access key'],
    [join('ghp_', 'a1B2'.repeat(9)), 'a GitHub token'],
    [join('github_pat_', 'A1'.repeat(11)), 'a GitHub token'],
    [join('glpat-', 'x1'.repeat(10)), 'a GitLab token'],
    [join('sk-', 'proj-', 'a1'.repeat(10)), 'an API key'],
    [join('xoxb-', '1234567890-abc'), 'a Slack token'],
    [join('-----BEGIN ', 'RSA PRIVATE KEY-----'), 'a private key'],
    [join('-----BEGIN ', 'PRIVATE KEY-----'), 'a private key'],
    [join('eyJ', 'hbGciOiJIUzI1NiJ9.eyJ', 'zdWIiOiIxMjM0In0.x'), 'a JSON web token'],
  ] as const) {
    test(`${text.slice(0, 8)}… is ${kind}`, () => assert.equal(credentialIn(`before ${text} after`), kind))
  }
  for (const text of [
    '',
    'task-force-of-one-hundred-people',
    'risk-assessment-for-the-year',
    'https://a.example/akia',
    '-----BEGIN CERTIFICATE-----',
    'ghp_short',
    'eyJ',
    'Bearer',
    'application/json',
    'c8f1d9e2a7b34c5d9e0f1a2b3c4d5e6f',
  ]) {
    test(`${JSON.stringify(text)} is no credential`, () => assert.equal(credentialIn(text), undefined))
  }

  for (const [name, value, is] of [
    ['Authorization', 'Bearer 9d1c7e52', true],
    ['authorization', 'Basic dXNlcjpwYXNz', true],
    ['X-Api-Key', '9d1c7e52', true],
    ['Authorization', 'Bearer ', false],
    ['Authorization', 'Bearer', false],
    ['Authorization', '', false],
    ['X-Api-Key', 'DEMO_KEY', false],
    ['Accept', 'application/json', false],
    ['X-Request-Id', '9d1c7e52f0a84b3f', false],
  ] as const) {
    test(`${name}: ${value} ${is ? 'holds one' : 'holds none'}`, () => {
      assert.equal(isLiteralCredential(name, value), is)
    })
  }

  for (const [url, name] of [
    ['https://a.example/?api_key=9d1c7e52', 'api_key'],
    ['https://a.example/?q=1&Token=9d1c7e52#x', 'Token'],
    ['https://a.example/?api_key={{input.key}}', undefined],
    ['https://a.example/?api_key=DEMO_KEY', undefined],
    ['https://a.example/?page_token=9d1c7e52', undefined],
    ['https://a.example/token=9d1c7e52', undefined],
    ['https://a.example/', undefined],
  ] as const) {
    test(`${url} has ${name ?? 'none'}`, () => assert.equal(credentialParameter(url), name))
  }

  for (const [line, at] of [
    ['/bin/x --token 9d1c7e52', 1],
    ['/bin/x -v --password=9d1c7e52', 1],
    ['/bin/x --api-key {{input.key}}', undefined],
    ['/bin/x --token-file /etc/x', undefined],
    ['/bin/x --token /etc/x', undefined],
    ['/bin/x --token $TOKEN', undefined],
    ['/bin/x --password --verbose', undefined],
    ['/bin/x --token', undefined],
  ] as const) {
    test(`${line} ${at === undefined ? 'has none' : 'has one'}`, () => {
      assert.equal(credentialArgument(exec(line).args), at)
    })
  }
})

test('variables that change which code runs', () => {
  const forbidden = [
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'BASH_ENV',
    'PATH',
    ...[
      'PERL5LIB',
      'PERL5OPT',
      'PERLLIB',
      'RUBYOPT',
      'RUBYLIB',
      'GEM_PATH',
      'GIT_SSH_COMMAND',
      'GIT_EXEC_PATH',
      'GIT_CONFIG_COUNT',
    ],
    ...[
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
      'JDK_JAVA_OPTIONS',
      'CLASSPATH',
      'ENV',
      'NODE_PATH',
      'npm_config_script_shell',
    ],
    ...[
      'BASH_FUNC_ls%%',
      'GCONV_PATH',
      'LUA_PATH',
      'LUA_INIT_5_4',
      'R_PROFILE',
      'DOTNET_STARTUP_HOOKS',
      'COR_PROFILER',
    ],
    ...[
      'CORECLR_PROFILER_PATH',
      'COMPlus_x',
      'PHPRC',
      'PHP_INI_SCAN_DIR',
      'PROMPT_COMMAND',
      'SHELLOPTS',
      'ZDOTDIR',
      'EDITOR',
    ],
    ...[
      'PAGER',
      'MANPAGER',
      'SSH_ASKPASS',
      'RSYNC_RSH',
      'LESSOPEN',
      'OPENSSL_CONF',
      'MAKEFLAGS',
      'ld_preload',
      'LD_A\nB',
    ],
  ]
  for (const name of forbidden) assert.ok(isForbiddenEnv(name), name)
  for (const name of [
    'TZ',
    'HOME',
    'MANPATH',
    'NODE_ENV',
    'MY_PATH',
    'LANG',
    'OLD_PATH',
    'HTTPS_PROXY',
    'no_proxy',
    'SSL_CERT_FILE',
    'ENVIRONMENT',
    'PATHS',
    'RLP_X',
    'GITHUB_TOKEN',
    'PS1',
  ])
    assert.ok(!isForbiddenEnv(name), name)
})

test('docs/running.md has the same table of variables', () => {
  const doc = readFileSync('docs/running.md', 'utf8')
  for (const [what, names] of CODE_VARIABLES)
    assert.ok(
      doc.includes(
        `| ${what} | ${names
          .split(' ')
          .map(name => `\`${name}\``)
          .join(' ')} |`,
      ),
      what,
    )
})

describe('rules together', () => {
  const findings = (tool: object, policy = '') => {
    const document = {
      version: 1,
      tools: [
        {
          id: 'x.y',
          description: 'Does a thing.',
          input_schema: { type: 'object' },
          result_schema: true,
          requires_confirmation: true,
          ...tool,
        },
      ],
    }
    const files = memoryFiles({
      'policy.caps': `[capabilities]\n${policy}\n`,
      'tools.json': JSON.stringify(document),
    })
    return lintAgent(read(files, 'x'), UNPREPARED)
      .filter(({ rule }) => /^(?:caps|tools|secrets)\//.test(rule))
      .map(({ rule }) => rule)
  }

  test('a secret whose variable would load other code is refused', () => {
    const tool = { transport: { kind: 'exec', command: '/bin/x' }, secrets: ['ld/preload'] }
    assert.ok(findings(tool, 'exec = ["/bin/x"]\nsecrets = ["ld/preload"]').includes('tools/env'))
  })

  test('one mistake in a url is one finding', () => {
    const url = (url: string) =>
      findings({ transport: { kind: 'http', method: 'GET', url } }, 'net = ["a.example"]')
    assert.deepEqual(url('https://a.example/'), [])
    for (const wrong of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://{{input.host}}/',
      'https://u:p@a.example/',
      'https://A.example/',
    ])
      assert.deepEqual(url(wrong), ['tools/url'], wrong)
    assert.deepEqual(url('https://b.example/'), ['caps/not-granted'])
    assert.deepEqual(url('http://a.example/'), ['caps/not-granted'])
  })

  test('plain http to this host is nothing to report', () => {
    const transport = { kind: 'http', method: 'GET', url: 'http://127.0.0.1:8080/' }
    const policy = 'net = { hosts = ["127.0.0.1:8080"], allow_http = true }'
    assert.deepEqual(findings({ transport }, policy), [])
  })

  test('a relative command is one finding', () => {
    assert.deepEqual(findings({ transport: { kind: 'exec', command: 'bin/x' } }), ['tools/command'])
  })

  test('every line that not-granted names grants what it says', () => {
    const tool = {
      transport: {
        kind: 'http',
        method: 'GET',
        // On this machine plain http is meant; elsewhere https is advised first.
        url: 'http://127.0.0.1/',
        headers: { A: '{{secret:runloop/a/b}}' },
      },
      capabilities: ['kb_read:x', 'fs_rw:/d', 'time', 'net:127.0.0.1'],
      secrets: ['runloop/a/b'],
    }
    const document = {
      version: 1,
      tools: [
        {
          id: 'x.y',
          description: 'Does a thing.',
          input_schema: true,
          result_schema: true,
          requires_confirmation: true,
          ...tool,
        },
      ],
    }
    const lintWith = (policy: string) =>
      lintAgent(
        read(memoryFiles({ 'policy.caps': policy, 'tools.json': JSON.stringify(document) }), 'x'),
        UNPREPARED,
      ).filter(({ rule }) => rule === 'caps/not-granted')
    const first = lintWith('[capabilities]\n')
    const lines = first.map(({ fix }) => /: ([a-z_]+ = .*)$/.exec(fix)?.[1] ?? '')
    const net = 'net = { hosts = ["127.0.0.1"], allow_http = true }'
    // In the order of places: the url is before the list.
    assert.deepEqual(lines, [
      net,
      'kb_read = ["x"]',
      'fs_rw = ["/d"]',
      'time = true',
      net,
      'secrets = ["runloop/a/b"]',
    ])
    const last = new Map(lines.map(line => [line.split(' ')[0], line]))
    assert.deepEqual(lintWith(`[capabilities]\n${[...last.values()].join('\n')}\n`), [])
  })
})

test('hostile documents are linted in bounded time', () => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))
  const tools = many(100, index => ({
    id: `t${index}`,
    description: `Tool ${index}.`,
    transport:
      index % 2 === 0
        ? { kind: 'http', method: 'GET', url: `http://h${index}.example/{{input.x}}` }
        : { kind: 'exec', command: `/bin/x${index}`, args: many(20, at => `{{input.v${at}}}`) },
    input_schema: { type: 'object', properties: Object.fromEntries(many(50, at => [`p${at}`, {}])) },
    result_schema: true,
    secrets: many(5, at => `runloop/a/s${index}_${at}`),
  }))
  const hosts = many(700, index => `"g${index}.example"`).join(', ')
  const policy = `[capabilities]\nnet = [${hosts}]\nsecrets = [${hosts}]\nexec = ["/bin/y"]\n`
  // As long as an argument may be.
  const long = many(4, index => ({
    id: `long${index}`,
    description: 'Long.',
    transport: { kind: 'exec', command: '/bin/sh', args: ['-c', 'curl '.repeat(6_500)] },
    input_schema: true,
    result_schema: true,
  }))
  const text = JSON.stringify({ version: 1, tools: [...tools, ...long] })
  const agent = read(memoryFiles({ 'policy.caps': policy, 'tools.json': text }), 'x')
  assert.ok(agent.tools && agent.policy)
  const begin = processorTime()
  assert.ok(lintAgent(agent, UNPREPARED).length > 500)
  assert.ok(processorTime() - begin < 10_000)
})
