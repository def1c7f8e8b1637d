// The name of an environment variable → whether it changes which code a program runs (docs/running.md, "Variables that are refused").

/**
 * Family by family; docs/running.md has the same table. A name that ends with `*` is a prefix. A whole family is refused if new releases
 * add members and no program needs one of them; `NODE_ENV` is the exception that programs do need.
 */
export const CODE_VARIABLES: readonly (readonly [what: string, names: string])[] = [
  ['programs by name', 'PATH PATHEXT COMSPEC SHELL'],
  ['the loader and libc', 'LD_* DYLD_* LIBPATH SHLIB_PATH GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES'],
  ['shells', 'BASH_* BASHOPTS SHELLOPTS ENV IFS CDPATH FPATH PROMPT_COMMAND PS4 ZDOTDIR INPUTRC'],
  ['Python', 'PYTHON* PIP_*'],
  ['Node and its like', 'NODE_* NPM_CONFIG_* YARN_* TS_NODE_* DENO_* BUN_*'],
  ['Perl, Ruby, PHP', 'PERL* RUBY* GEM_* BUNDLE_* PHPRC PHP_*'],
  ['Java', 'JAVA_* _JAVA_OPTIONS JDK_* CLASSPATH MAVEN_* GRADLE_* SBT_OPTS'],
  ['.NET', 'DOTNET_* COR_* CORECLR_* COMPLUS_*'],
  [
    'other languages',
    'LUA_* R_* ERL_* JULIA_* GUILE_* TCLLIBPATH AWKPATH AWKLIBPATH CARGO_* RUSTC* RUSTFLAGS GOFLAGS GOROOT GOTOOLCHAIN',
  ],
  ['plug-ins of libraries', 'OPENSSL_* GIO_* GTK_MODULES GTK_PATH QT_PLUGIN_PATH'],
  [
    'commands that programs start',
    'GIT_* EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE *_ASKPASS *_EDITOR *_PAGER *_BROWSER *_RSH MANPAGER',
  ],
  ['options of programs that start others', 'MAKEFLAGS MAKEFILES TAR_OPTIONS VIMINIT EXINIT'],
]

const ALLOWED: ReadonlySet<string> = new Set(['NODE_ENV'])

const PATTERN = new RegExp(
  `^(?:${CODE_VARIABLES.flatMap(([, names]) => names.split(' '))
    .map(name => name.replace('*', '.*'))
    .join('|')})$`,
  's',
)

/** In any spelling: npm reads `npm_config_…`, and some systems ignore case. */
export function isForbiddenEnv(name: string): boolean {
  const upper = name.toUpperCase()
  return !ALLOWED.has(upper) && PATTERN.test(upper)
}
