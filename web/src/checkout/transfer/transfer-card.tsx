/** Payment by plain transfer: first the token and the refund address, then the deposit address and what has arrived. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment, TransferViewFragment } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { TransferAddress } from './transfer-address.tsx';
import { useTransfer } from './use-transfer.ts';

export type TransferCardProps = {
  session: SessionName;
  view: CheckoutViewFragment;
  options: readonly Option[];
  /** The requested transfer, which may still arrive. */
  transfer: TransferViewFragment | undefined;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  back: (() => void) | undefined;
  refetch: () => Promise<unknown>;
};

export function TransferCard(props: TransferCardProps) {
  const { session, view, options, transfer, now, back, refetch } = props;
  const [isAgain, setAgain] = useState(false);
  const request = useTransfer(session, refetch);
  const hasArrived = transfer !== undefined && BigInt(transfer.received) > 0n;
  if (transfer && (!isAgain || hasArrived)) {
    return <TransferAddress {...{ transfer, now, back }} change={hasArrived ? undefined : () => setAgain(true)} />;
  }
  const prepare = async (option: Option, refundAddress: string) => {
    if (await request.prepare(option, refundAddress)) setAgain(false);
  };
  return (
    <Beginning
      {...{ options, request, back, prepare }}
      refundAddress={transfer?.refundAddress}
      mayDispute={view.disputeSeconds > 0}
    />
  );
}

type BeginningProps = {
  options: readonly Option[];
  request: ReturnType<typeof useTransfer>;
  /** The transfer to an earlier address. */
  refundAddress: string | undefined;
  mayDispute: boolean;
  back: (() => void) | undefined;
  prepare: (option: Option, refundAddress: string) => Promise<void>;
};

function Beginning({ options, request, refundAddress, mayDispute, back, prepare }: BeginningProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [tokenKey, setTokenKey] = useState<string>();
  const [address, setAddress] = useState(refundAddress ?? '');
  const [isMalformed, setMalformed] = useState(false);
  const option = options.find((one) => one.tokenKey === tokenKey) ?? options[0];
  const { isBusy, fault, isRefused } = request;
  const submit = () => {
    const given = address.trim();
    const isGood = /^0x[0-9a-fA-F]{40}$/.test(given);
    setMalformed(!isGood);
    if (isGood && option && !isBusy) void prepare(option, given);
  };
  const error = isMalformed ? t('transfer.refund.malformed') : isRefused && t('transfer.refund.refused');
  const notice = fault ?? (option ? undefined : 'NO_WAY');
  return (
    <Form className={styles.stack} onSend={submit} isBusy={isBusy} error={fault ?? isRefused} summary={() => null}>
      <CardHead title={t('transfer.title')}>{t('transfer.words')}</CardHead>
      <div className={styles.list} role="radiogroup" aria-label={t('transfer.token')}>
        {options.map((one) => {
          const amount = formats.token(one.cryptoAmount, one.decimals);
          return (
            <label key={one.tokenKey} className={styles.choice} data-transfer={one.tokenKey}>
              <input
                type="radio"
                name="transfer-token"
                value={one.tokenKey}
                checked={one === option}
                disabled={isBusy}
                onChange={() => setTokenKey(one.tokenKey)}
              />
              <span className={styles.choiceName}>
                {t('transfer.on', { symbol: one.symbol, chain: one.chainName })}
              </span>
              <span className={styles.choiceSide} title={`${amount.exact} ${one.symbol}`}>
                {amount.words} {one.symbol}
              </span>
            </label>
          );
        })}
      </div>
      <TextField
        label={t('transfer.refund.label')}
        hint={t(mayDispute ? 'transfer.refund.hint' : 'transfer.refund.hintNoDispute')}
        error={error || undefined}
        name="refundAddress"
        value={address}
        autoComplete="off"
        spellCheck={false}
        placeholder="0x…"
        disabled={isBusy}
        onChange={(event) => setAddress(event.target.value)}
      />
      {notice && <Notice name={notice} values={{ chain: option?.chainName ?? '' }} />}
      <div className={styles.actions}>
        <Button
          type="submit"
          look="primary"
          size="large"
          isWide
          isBusy={isBusy}
          busyWords={t('transfer.preparing')}
          isDisabled={!option}
          data-action="transfer"
        >
          {t('transfer.show')}
        </Button>
        {back && (
          <Button look="bare" isWide isDisabled={isBusy} onPress={back}>
            {t('transfer.back')}
          </Button>
        )}
      </div>
    </Form>
  );
}
