/** Money that the escrow could not send to the wallet: the reason, what happens automatically, and one button that claims it. */
import type { TFunction } from 'i18next';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { zeroAddress } from 'viem';
import { claimCall, claimForCall } from '../../../../src/escrow/calldata.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import type { HeldCredit } from '../holdings/held-credits.ts';
import { CallButton } from './call-button.tsx';
import { type CoinTarget, readCoinTarget } from './coin-target.ts';
import type { Acting } from './known-state.ts';
import styles from './payer.module.css';
import { escrowOf } from './use-holdings.ts';

export function CreditCard({ credit, acting }: { credit: HeldCredit; acting: Acting }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const id = useId();
  const { chainId, tokenKey, amount, from, nextTryAt } = credit;
  const token = tokenOf(tokenKey);
  if (!token) return null;
  const isCoin = token.address === 'native';
  const figure = `${formats.token(amount, token.decimals).exact} ${token.symbol}`;
  const names = [...new Set(from.flatMap(({ reported }) => reported?.merchant.name ?? []))];
  return (
    <article className={styles.item} aria-labelledby={id} data-credit={tokenKey}>
      <div className={styles.itemHead}>
        <h3 id={id}>{t('payer.credits.of', { amount: figure, chain: chainOf(chainId)?.name ?? chainId })}</h3>
        <Status status="COLLECTABLE" tone="wait">
          {t('payer.state.COLLECTABLE')}
        </Status>
      </div>
      <div className={styles.outlook}>
        <p>{t(isCoin ? 'payer.credits.why.coin' : 'payer.credits.why.token', { symbol: token.symbol })}</p>
        <p>
          {t('payer.credits.kept')}
          {nextTryAt && <> {t('payer.credits.next', { at: formats.absolute(new Date(nextTryAt)) })}</>}
        </p>
        {names.length > 0 && <p>{t('payer.credits.from', { names: formats.list(names) })}</p>}
      </div>
      {isCoin ? (
        <CollectCoin credit={credit} figure={figure} symbol={token.symbol} acting={acting} />
      ) : (
        <CollectToken credit={credit} figure={figure} symbol={token.symbol} acting={acting} />
      )}
    </article>
  );
}

type CollectProps = { credit: HeldCredit; figure: string; symbol: string; acting: Acting };

/** Pays the wallet or reverts. A credit in tokens cannot be sent to another address. */
function CollectToken({ credit: { chainId, tokenKey }, figure, symbol, acting }: CollectProps) {
  const { t } = useTranslation();
  const token = tokenOf(tokenKey);
  const escrow = escrowOf(chainId);
  if (!token || !escrow) return null;
  const call = claimForCall({ escrow, recipient: acting.wallet, token: `0x${token.address.slice(2)}` });
  const refused = t('payer.credits.refused.token', { symbol });
  return (
    <CallButton look="primary" chainId={chainId} call={call} acting={acting} refused={refused}>
      {t('payer.credits.claim', { amount: figure })}
    </CallButton>
  );
}

/** The payer can choose any address, because the wallet may be a contract that does not accept the coin. */
function CollectCoin({ credit: { chainId }, figure, symbol, acting }: CollectProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string>(acting.wallet);
  const chain = chainOf(chainId);
  if (!chain?.escrow) return null;
  const target = readCoinTarget(chain, typed);
  const call = claimCall({ escrow: chain.escrow, token: zeroAddress, to: target.address ?? acting.wallet });
  return (
    <div className={styles.stack}>
      <TextField
        label={t('payer.credits.to')}
        hint={t('payer.credits.toHint', { symbol })}
        error={target.fault === null ? undefined : wordsOf(t, target.fault)}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      <CallButton
        look="primary"
        chainId={chainId}
        call={call}
        acting={acting}
        refused={t('payer.credits.refused.coin', { symbol })}
        isDisabled={target.fault !== null}
      >
        {t('payer.credits.claim', { amount: figure })}
      </CallButton>
    </div>
  );
}

function wordsOf(t: TFunction, fault: NonNullable<CoinTarget['fault']>): string {
  if (fault === 'MALFORMED') return t('payer.credits.toWrong');
  return t(`payer.credits.sink.${fault.kind}`, { ...fault });
}
