import { GraphQLError } from 'graphql';
import { type Plugin, processRegularResult } from 'graphql-yoga';
import { invalid } from '../../../errors.ts';
import type { TransportContext } from '../server/request-plugin.ts';

const STREAMS = new Set(['*/*', 'text/*', 'text/event-stream']);

/**
 * Negotiates media types. A body that is not JSON is refused with UNSUPPORTED_MEDIA_TYPE. A client that accepts none of the response types
 * receives JSON, because a mutation has already been executed and its result must not be lost. A subscription is refused before it begins
 * if the client does not accept a stream, because its events would be neither read nor ended.
 */
export function mediaTypesPlugin(): Plugin<TransportContext> {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (requestParser || request.method !== 'POST') return;
      setRequestParser(() => {
        throw new GraphQLError('The body must be application/json.', { extensions: { http: { status: 415 } } });
      });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request }: { request?: Request } = args.contextValue;
      if (!request || acceptsStream(request.headers.get('accept') || '*/*')) return;
      const fault = invalid([{ param: 'accept', message: 'must name text/event-stream for a subscription' }]);
      setResultAndStopExecution({ errors: [new GraphQLError(fault.message, { originalError: fault })] });
    },
    onResultProcess({ resultProcessor, setResultProcessor }) {
      if (!resultProcessor) setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** Decides as the server does: any range that is named counts, unless it requires another charset. */
function acceptsStream(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.toLowerCase().replace(/\s/g, '').split(';');
    return STREAMS.has(type) && !parameters.some((held) => /^charset=(?!utf-8$)/.test(held));
  });
}
