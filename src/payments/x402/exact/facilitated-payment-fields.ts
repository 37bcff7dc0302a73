/** The scalar fields of a payment to another server, as the API returns them and its events carry them. */
import { getAddress } from 'viem';
import type { ExactAuthorization } from '../../../../prisma/client.ts';
import { printBaseUnits } from '../../../prices/base-units.ts';
import { printPrice } from '../../../prices/money.ts';
import { describeFailure, hex } from './exact-authorization.ts';

export function facilitatedPaymentFields(row: ExactAuthorization) {
  return {
    id: row.id,
    appId: row.appId,
    status: row.status,
    chainId: row.chainId,
    tokenKey: row.tokenKey,
    amount: row.amount.toFixed(),
    valueUsd: row.valueUsd && printPrice(row.valueUsd),
    payer: getAddress(hex(row.payer)),
    payTo: getAddress(hex(row.payTo)),
    resource: row.resource,
    feeBps: row.feeBps ?? 0,
    feeAmount: printBaseUnits(row.feeAmount) ?? '0',
    txHash: row.txHash,
    failureReason: row.failure && describeFailure(row.failure).reason,
    failureMessage: row.failure && describeFailure(row.failure).message,
    settledAt: row.settledAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
