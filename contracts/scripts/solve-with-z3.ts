import { init } from 'z3-solver';

export type Solve = (query: string) => string;

/** Z3's own measure of work for one attempt, so that an answer does not depend on how busy the machine is. */
const WORK_LIMIT = 1_000_000;
/** Tried in this order until one decides: how long a search takes depends on its luck, what it finds does not. */
const ATTEMPTS = [
  '',
  '(set-option :smt.arith.solver 2)',
  '(set-option :smt.random_seed 1)',
  '(set-option :smt.arith.solver 2)(set-option :smt.random_seed 7)',
  '(set-option :smt.random_seed 42)',
  '(set-option :smt.arith.nl false)',
  '(set-option :smt.random_seed 99)(set-option :smt.relevancy 0)',
];
/** A query lies on the stack of Z3's WebAssembly while it is read. */
const MAX_QUERY_CHARACTERS = 1_000_000;

type Calls = {
  ccall(name: string, returns: 'string', types: ['number', 'string'], values: [unknown, string]): string;
};

/**
 * Z3 as the npm package brings it, behind a synchronous call: the compiler asks from inside its own WebAssembly and
 * cannot wait. The package's own asynchronous `eval_smtlib2_string` is not used, because its thread reads the query
 * after the query's memory was given back. Each attempt has a context of its own, so that none depends on another. Z3's
 * threads keep the process alive: a script that uses it ends with `process.exit`.
 */
export async function startZ3(): Promise<Solve> {
  const { Z3, em } = await init();
  const { ccall } = em as Calls;
  const attempt = (query: string): string => {
    // Options set in a query's text would otherwise hold for the next one.
    Z3.global_param_reset_all();
    const settings = Z3.mk_config();
    const context = Z3.mk_context(settings);
    Z3.del_config(settings);
    try {
      return ccall('Z3_eval_smtlib2_string', 'string', ['number', 'string'], [context, query]);
    } finally {
      Z3.del_context(context);
    }
  };
  return (query) => {
    if (query.length > MAX_QUERY_CHARACTERS) {
      throw new Error(`A query of ${query.length} characters exceeds ${MAX_QUERY_CHARACTERS}`);
    }
    let answer = 'unknown\n';
    for (const options of ATTEMPTS) {
      answer = attempt(`(set-option :rlimit ${WORK_LIMIT})${options}\n${query}`);
      if (!answer.startsWith('unknown')) break;
    }
    return answer;
  };
}
