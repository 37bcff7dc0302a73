import { useGraphQlJit } from '@envelop/graphql-jit';
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { TransportContext } from '../graphql/server/request-plugin.ts';

/**
 * Compiles the REST documents only. The compiler caches one result per document, so it could run the wrong one of two operations in a
 * client's document. REST documents have one operation each.
 */
export function jitPlugin(documents: Iterable<DocumentNode>): Plugin<TransportContext> {
  const ours = new WeakSet<DocumentNode>(documents);
  const { onExecute } = useGraphQlJit({}, { enableIf: (args) => ours.has(args.document) });
  return {
    onExecute(hook) {
      return onExecute?.(hook);
    },
  };
}
