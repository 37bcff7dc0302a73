/** The exports of `@sluice/x402/mcp`. */
export { callPaidTool, paidTool } from './paid-tool.ts';
