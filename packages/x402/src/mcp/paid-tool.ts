/**
 * Paid tools of an MCP server, as x402 defines them for that transport: the payment is in `_meta["x402/payment"]` of the call, an unpaid
 * call is answered by a tool error that carries the requirements, and the receipt is in `_meta["x402/payment-response"]` of the result.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequired, SettleResponse } from '@x402/core/types';
import type { Buyer } from '../client/create-buyer.ts';
import { type AnswerState, REPEAT_FOR_MS, sendUntilAnswered } from '../client/send-until-answered.ts';
import type { PaidRoute } from '../create-x402.ts';
import type { Answer } from '../server/answer.ts';
import { describeTool, type ToolDescription } from '../server/bazaar.ts';
import { asPayment } from '../server/read-payment.ts';

const PAYMENT = 'x402/payment';
const PAYMENT_RESPONSE = 'x402/payment-response';

type Extra = { _meta?: Record<string, unknown> | undefined; signal?: AbortSignal };
/** The client has canceled the call and does not receive the result. */
const CANCELED: CallToolResult = { isError: true, content: [{ type: 'text', text: 'The call was canceled.' }] };

type ToolHandler<Input, Context> = (input: Input, context: Context) => CallToolResult | Promise<CallToolResult>;

/**
 * Wraps the handler of a tool with an input schema: `server.registerTool('forecast', { inputSchema }, paidTool(paid, { toolName: 'forecast' },
 * handler))`. A result with `isError` is not charged, unless the route settles before.
 */
export function paidTool<Input, Context extends Extra>(
  paid: PaidRoute,
  tool: Omit<ToolDescription, 'inputSchema'> & { inputSchema?: Record<string, unknown> },
  handler: ToolHandler<Input, Context>,
): (input: Input, context: Context) => Promise<CallToolResult> {
  const { discovery } = paid.options;
  const described = { inputSchema: { type: 'object' }, ...tool };
  const extensions = discovery === false ? {} : describeTool(described, discovery ?? {});
  return async (input, context) => {
    const url = `https://localhost/tools/${encodeURIComponent(tool.toolName)}`;
    const call = { method: 'POST', url, header: () => undefined, request: { input, context } };
    const sent = context._meta?.[PAYMENT];
    const payment = sent === undefined ? undefined : (asPayment(sent) ?? ('invalid' as const));
    const charge = await paid.charge(call, { payment, extensions });
    switch (charge.outcome) {
      case 'refused':
        return refusal(charge.answer);
      case 'free':
        return handler(input, context);
      case 'settled': {
        if (context.signal?.aborted) {
          await charge.settled.unsent();
          return CANCELED;
        }
        const result = await Promise.resolve(handler(input, context)).catch(async (error: unknown) => {
          await charge.unserved(500, false);
          throw error;
        });
        if (result.isError) await charge.unserved(500);
        return withReceipt(result, charge.settled.headers);
      }
      case 'verified': {
        const result = await Promise.resolve(handler(input, context)).catch((error: unknown) => {
          charge.abandon();
          throw error;
        });
        if (result.isError) {
          charge.abandon();
          return result;
        }
        if (context.signal?.aborted) {
          charge.abandon();
          return CANCELED;
        }
        const settling = await charge.settle();
        if (settling.isSettled && context.signal?.aborted) {
          await settling.unsent();
          return CANCELED;
        }
        return settling.isSettled ? withReceipt(result, settling.headers) : refusal(settling.answer);
      }
      default:
        return charge satisfies never;
    }
  };
}

type ToolCall = Parameters<Client['callTool']>[0];

/** Errors of `paidTool` after which the payment may have been charged, or may still be. */
const UNANSWERED = ['payment_in_progress', 'payment_unavailable', 'settlement_pending'];

/**
 * Calls a tool and pays for it once from the buyer's budget. `url` is the server's address, whose host the budget must allow. Rejects with an
 * UnansweredPaymentError if the payment may have been charged and got no result within a minute.
 */
export async function callPaidTool(
  client: Pick<Client, 'callTool'>,
  { buyer, url }: { buyer: Buyer; url: string },
  call: ToolCall,
): Promise<CallToolResult> {
  const first = (await client.callTool(call)) as CallToolResult;
  const required = first.isError ? first.structuredContent : undefined;
  if (!isPaymentRequired(required)) return first;
  const payment = await buyer.sign(required, { url, method: `tools/call ${call.name}` });
  const paid = { ...call, _meta: { ...call._meta, [PAYMENT]: payment.payload } };
  return await sendUntilAnswered<CallToolResult>({
    payment,
    send: async ({ signal }) => (await client.callTool(paid, undefined, signal ? { signal } : {})) as CallToolResult,
    read: async (result) => readPaidResult(result),
    repeatForMs: REPEAT_FOR_MS,
    now: Date.now,
  });
}

function readPaidResult({ isError, structuredContent, _meta }: CallToolResult): AnswerState {
  const settled = (_meta?.[PAYMENT_RESPONSE] as SettleResponse | undefined) ?? null;
  const isUnanswered = isError && !settled?.success && UNANSWERED.includes(String(structuredContent?.error));
  return { settled, isFinal: !isUnanswered };
}

function isPaymentRequired(value: unknown): value is PaymentRequired {
  return typeof value === 'object' && value !== null && 'x402Version' in value && 'accepts' in value;
}

function withReceipt(result: CallToolResult, headers: Record<string, string>): CallToolResult {
  const receipt = decodePaymentResponseHeader(headers['payment-response'] ?? '');
  return { ...result, _meta: { ...result._meta, [PAYMENT_RESPONSE]: receipt } };
}

function refusal({ status, headers, body }: Answer): CallToolResult {
  const required = headers['payment-required'];
  const failed = headers['payment-response'];
  const content: Record<string, unknown> =
    status === 402 && required ? { ...decodePaymentRequiredHeader(required) } : JSON.parse(body);
  return {
    isError: true,
    structuredContent: content,
    content: [{ type: 'text', text: JSON.stringify(content) }],
    ...(failed ? { _meta: { [PAYMENT_RESPONSE]: decodePaymentResponseHeader(failed) } } : {}),
  };
}
