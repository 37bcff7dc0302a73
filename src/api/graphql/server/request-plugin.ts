/**
 * The processing that all operations share, over HTTP, SSE, WebSocket and REST: it authenticates the caller, checks the credential before
 * the parameters, and formats all errors.
 */
import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { inLane } from '../../../../prisma/database-pools.ts';
import { recheck } from '../../../../prisma/guarded-database.ts';
import type { GatewayError } from '../../../errors.ts';
import { newId } from '../../../platform/identifier.ts';
import type { Admission } from '../../gate.ts';
import { checkOperation, type OperationRequest, variablesFault } from '../requests/check-operation.ts';
import { contextOf, createContext, credentialsOf, type GraphqlContext } from './context.ts';
import { faultFacts, formatFault, forStatus } from './fault.ts';
import { cuttable } from './live.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { ruleFaults, variableFault } from './request-faults.ts';
import type { World } from './world.ts';

/**
 * What the transport knows before the context is created. `admission` is the result of the gate, if the call passed it. Over a WebSocket,
 * the context is created when the connection is opened.
 */
export type TransportContext = {
  requestId: string;
  answer?: GraphqlContext['answer'];
  admission?: Pick<Admission, 'principal' | 'refusal' | 'idempotencyKey' | 'address' | 'callerAddress' | 'userAgent'>;
  charge?: GraphqlContext['charge'];
  /** The HTTP request. */
  incoming?: IncomingMessage;
};

export function requestPlugin(world: World, credentials: LiveCredentials): Plugin<TransportContext> {
  return {
    async onContextBuilding({ context, extendContext }) {
      if ('principal' in context) return;
      const made = await contextFor(world, context, context.request);
      extendContext(context.answer ? { ...made, answer: context.answer } : made);
    },
    async onExecute({ args, setResultAndStopExecution }) {
      const request = executionArgs(args);
      const refusal = await checkOperation(world, request);
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
      return {
        onExecuteDone({ result, setResult }) {
          if (isResult(result)) setResult(withFaults(world, request, result));
        },
      };
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const request = executionArgs(args);
      const refusal = (await endedCredential(world, request)) ?? (await checkOperation(world, request));
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
      return {
        onSubscribeResult({ result, setResult }) {
          if (isResult(result)) setResult(withFaults(world, request, result));
          else if (isLive(result)) setResult(untilRevoked(world, credentials, request, result));
          return {
            onNext(next) {
              if (isResult(next.result)) next.setResult(withFaults(world, request, next.result));
            },
          };
        },
        onSubscribeError({ error, setError }) {
          setError(formatFault(faultFacts(world, request.contextValue.requestId), error));
        },
      };
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (isResult(result)) setResult(printedResult(world, result, serverContext));
    },
  };
}

/**
 * Returns the result as it is printed: with all errors formatted, including those of the parser, the validator and the HTTP layer, and with
 * the headers of the response in `extensions.http`.
 */
export function printedResult(world: World, result: ExecutionResult, serverContext: object): ExecutionResult {
  const headers = isReplayed(serverContext) ? { 'idempotent-replayed': 'true' } : undefined;
  const extensions = headers ? { ...result.extensions, http: { headers } } : result.extensions;
  if (!result.errors) return headers ? { ...result, extensions } : result;
  const facts = faultFacts(world, requestIdIn(serverContext));
  const printed = { ...result, errors: result.errors.map((error) => formatFault(facts, error)) };
  const errors = printed.errors.map(forStatus);
  // The printed body contains the `http` of each error, which the server would omit.
  return Object.assign({ ...printed, errors, extensions }, { stringify: () => JSON.stringify(printed) });
}

async function contextFor(world: World, transport: TransportContext, request: Request | undefined) {
  const { admission, requestId } = transport;
  if (admission?.refusal !== undefined) throw formatFault(faultFacts(world, requestId), admission.refusal);
  if (admission) return contextOf(world, admission.principal, { requestId, ...admission });
  const header = (name: string) => request?.headers.get(name) ?? null;
  return createContext(world, {
    credentials: credentialsOf(header),
    requestId,
    idempotencyKey: header('idempotency-key') ?? undefined,
  });
}

/**
 * Returns why a subscription over HTTP is refused, if it is. Its caller may have been admitted by a cached credential, but connections that
 * stay open are checked against the database. Over a WebSocket, this has already happened.
 */
async function endedCredential(world: World, { contextValue }: OperationRequest): Promise<GraphQLError | undefined> {
  const { world: guarded, isChecked, requestId } = contextValue;
  if (isChecked || world.memory === undefined) return undefined;
  try {
    await inLane('credentials', () => recheck(guarded.database));
    return undefined;
  } catch (error) {
    return formatFault(faultFacts(world, requestId), error);
  }
}

/** Ends a live result with a last error when the caller's credential ends. */
function untilRevoked(
  world: World,
  credentials: LiveCredentials,
  { contextValue: { principal, requestId } }: OperationRequest,
  result: AsyncIterableIterator<ExecutionResult>,
): AsyncIterableIterator<ExecutionResult> {
  return cuttable(
    result,
    (cut) => credentials.watch(principal, cut),
    (reason) => ({ errors: [formatFault(faultFacts(world, requestId), reason)] }),
  );
}

/** Returns the result with all errors formatted. Faults of variables become one error that lists all of them. */
function withFaults(world: World, request: OperationRequest, result: ExecutionResult): ExecutionResult {
  if (!result.errors?.length) return result;
  const context = request.contextValue;
  const facts = faultFacts(world, context.requestId);
  const coercion = result.data === undefined ? coercionFault(request, result.errors) : undefined;
  const errors = coercion ? [formatFault(facts, coercion)] : result.errors.map((error) => formatFault(facts, error));
  return { ...result, errors };
}

function coercionFault(request: OperationRequest, errors: readonly GraphQLError[]): GatewayError | undefined {
  const faults = errors.map((error) => (error.path ? undefined : variableFault(error.message)));
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length === 0 || found.length < errors.length) return undefined;
  const variables = request.variableValues ?? {};
  return variablesFault(request, [...found, ...ruleFaults(request.contextValue, { ...request, variables })]);
}

function executionArgs(args: unknown): OperationRequest {
  // Envelop types it for any context. This one was created by onContextBuilding.
  return args as OperationRequest;
}

function isReplayed(serverContext: object): boolean {
  const answer = 'answer' in serverContext ? serverContext.answer : undefined;
  return typeof answer === 'object' && answer !== null && 'replayed' in answer && answer.replayed === true;
}

function isLive(result: unknown): result is AsyncIterableIterator<ExecutionResult> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

function requestIdIn(serverContext: object): string {
  return 'requestId' in serverContext ? String(serverContext.requestId) : newId();
}

export function isResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result) && !Array.isArray(result);
}
