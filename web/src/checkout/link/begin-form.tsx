/** What a payer must enter before a link can be paid. A link that needs nothing begins automatically. */
import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CheckoutViewFragment,
  type LinkPageQuery,
  LinkStartDocument,
} from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { LoadingCard } from '../loading/loading-card.tsx';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { beginSentence, isCouponFault, isInactive, isTooMany } from './begin-fault.ts';
import { type BillingField, beginInput, beginQuestions, type Entered, typedQuantity } from './begin-input.ts';
import { afterBeginFault, type BeginKey, beginKey } from './begin-key.ts';
import { LinkEnd } from './link-end.tsx';

type Offer = LinkPageQuery['linkOffer'];

/** `view`: the state of the session, unless the response lacks it. */
export type BegunSession = {
  id: string;
  clientSecret: string;
  view: CheckoutViewFragment | null | undefined;
};

type BeginFormProps = {
  slug: string;
  offer: Offer;
  /** Called with the quantity that the payer chose, so that the page shows its total. */
  onQuantity: (quantity: number) => void;
  /** The link has changed: it is not active any more, or fewer units are left than the offer stated. */
  onRefused: () => unknown;
  onBegun: (session: BegunSession) => void;
};

const completions: Record<BillingField, string> = {
  email: 'email',
  name: 'name',
  address: 'street-address',
  postalCode: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country-name',
};

export function BeginForm({ slug, offer, onQuantity, onRefused, onBegun }: BeginFormProps) {
  const { t, i18n } = useTranslation();
  const questions = beginQuestions(offer);
  const [entered, setEntered] = useState<Entered>({
    amount: '',
    currency: offer.currency ?? 'USD',
    quantity: String(offer.quantity),
    couponCode: '',
    details: {},
  });
  const begun = useRef<BeginKey>(undefined);
  const begin = useMutation({
    // Without a network, the request fails and the payer sees why, instead of waiting for the network.
    networkMode: 'always',
    mutationFn: () => {
      const { billingDetails, ...rest } = beginInput(offer, entered);
      const locale = i18n.language.startsWith('de') ? 'de' : 'en';
      const input = { ...rest, ...(billingDetails ? { billingDetails: { ...billingDetails, locale } } : {}) };
      begun.current = beginKey(begun.current, input, crypto.randomUUID());
      return ask(LinkStartDocument, { slug, input }, { idempotencyKey: begun.current.key, signal: inTime() });
    },
    retry: (failures, error) => failures < 3 && error instanceof ApiError && error.fault.retryable === true,
    onSuccess: ({ startLinkCheckout: { id, clientSecret, checkout } }) => {
      if (clientSecret) onBegun({ id, clientSecret, view: checkout });
    },
    onError: (error) => {
      begun.current = afterBeginFault(begun.current, error instanceof ApiError ? error.fault : undefined);
      if (error instanceof ApiError && (isTooMany(error) || isInactive(error))) onRefused();
    },
  });
  const isByItself =
    !questions.asksAmount &&
    !questions.asksQuantity &&
    !questions.asksCoupon &&
    !questions.isLimited &&
    questions.fields.length === 0;
  const { mutate, error } = begin;
  const isBegun = useRef(false);
  useEffect(() => {
    if (!isByItself || isBegun.current) return;
    isBegun.current = true;
    mutate();
  }, [isByItself, mutate]);

  const fault = error instanceof ApiError ? error : undefined;
  if (fault && isInactive(fault)) return <LinkEnd why="inactive" offer={offer} />;
  if (isByItself) {
    if (!fault) return <LoadingCard />;
    const sentence = beginSentence(fault);
    const words = sentence === 'UNOPENED' ? undefined : t(`checkout.fault.${sentence}`);
    return <LinkEnd why="unopened" offer={offer} words={words} retry={() => mutate()} />;
  }
  const enter = (field: BillingField, value: string) =>
    setEntered((before) => ({ ...before, details: { ...before.details, [field]: value } }));
  return (
    <Form
      className={styles.stack}
      onSend={() => mutate()}
      isBusy={begin.isPending}
      error={error}
      summary={(rest) => rest instanceof ApiError && !isTooMany(rest) && <Notice name={beginSentence(rest)} />}
      actions={
        <Button look="primary" size="large" isWide type="submit" isBusy={begin.isPending}>
          {t('checkout.begin.continue')}
        </Button>
      }
    >
      <CardHead title={t(`checkout.begin.${titleOf(questions)}`)} />
      <div className={styles.fields}>
        {questions.asksAmount && (
          <div className={styles.pair}>
            <TextField
              label={t('checkout.begin.howMuch')}
              name="amount"
              inputMode="decimal"
              required
              value={entered.amount}
              onChange={(event) => setEntered({ ...entered, amount: event.target.value })}
            />
            {questions.asksCurrency && (
              <Select
                label={t('checkout.begin.currency')}
                value={entered.currency}
                options={['USD', 'EUR'].map((value) => ({ value, words: value }))}
                onChange={(currency) => setEntered({ ...entered, currency })}
              />
            )}
          </div>
        )}
        {questions.asksQuantity && (
          <TextField
            label={t('checkout.begin.quantity')}
            name="quantity"
            hint={hintOf(offer, t)}
            type="number"
            inputMode="numeric"
            required
            min={offer.minimumQuantity}
            max={Math.min(offer.maximumQuantity, offer.availableQuantity ?? offer.maximumQuantity)}
            step={1}
            value={entered.quantity}
            error={fault && isTooMany(fault) ? t('checkout.begin.tooMany') : undefined}
            onChange={(event) => {
              setEntered({ ...entered, quantity: event.target.value });
              const quantity = typedQuantity(offer, event.target.value);
              if (quantity !== null) onQuantity(quantity);
            }}
          />
        )}
        {questions.asksCoupon && (
          <TextField
            label={t('checkout.begin.optional', { name: t('checkout.begin.coupon') })}
            name="couponCode"
            hint={t('checkout.begin.couponHint')}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            maxLength={60}
            value={entered.couponCode}
            error={fault && isCouponFault(fault) ? t('checkout.begin.couponBad') : undefined}
            onChange={(event) => setEntered({ ...entered, couponCode: event.target.value })}
          />
        )}
        {questions.fields.map(({ field, isRequired }) => (
          <TextField
            key={field}
            label={
              isRequired
                ? t(`checkout.begin.${field}`)
                : t('checkout.begin.optional', { name: t(`checkout.begin.${field}`) })
            }
            name={`billingDetails.${field}`}
            type={field === 'email' ? 'email' : 'text'}
            autoComplete={completions[field]}
            required={isRequired}
            maxLength={field === 'address' ? 500 : field === 'postalCode' ? 50 : 255}
            value={entered.details[field] ?? ''}
            onChange={(event) => enter(field, event.target.value)}
          />
        ))}
      </div>
    </Form>
  );
}

/** The title names the first thing that the form requires. */
function titleOf(questions: ReturnType<typeof beginQuestions>): 'details' | 'amount' | 'howMany' | 'ready' {
  if (questions.fields.length > 0) return 'details';
  if (questions.asksAmount) return 'amount';
  return questions.asksQuantity ? 'howMany' : 'ready';
}

function hintOf(offer: Offer, t: TFunction): string {
  const { availableQuantity: available, minimumQuantity: least, maximumQuantity: most } = offer;
  if (typeof available === 'number' && available < most) return t('checkout.begin.left', { count: available });
  return t('checkout.begin.range', { least, most });
}
