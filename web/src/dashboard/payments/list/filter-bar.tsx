/** The filters of the list. Each change is written to the URL at once, or after a pause in typing. */
import { type ComponentProps, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settings } from '../../../settings.ts';
import { Button } from '../../../ui/button/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Select } from '../../../ui/fields/select.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import styles from './filter-bar.module.css';
import {
  countHidden,
  noFilters,
  type PaymentFilters,
  paymentFlags,
  paymentStatuses,
  printFilters,
  typedAmount,
  typedMetadata,
} from './payment-filters.ts';

const TYPING_MS = 300;

type FilterBarProps = { filters: PaymentFilters; onChange: (filters: PaymentFilters) => void };
type Change = (part: Partial<PaymentFilters>) => void;

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const hidden = countHidden(filters);
  const [isOpen, setOpen] = useState(hidden > 0);
  const panel = useId();
  const change: Change = (part) => onChange({ ...filters, ...part });
  return (
    <search className={styles.bar} aria-label={t('payments.filters.name')}>
      <div className={styles.first}>
        <Typed
          name="search"
          type="search"
          label={t('payments.filters.search')}
          placeholder={t('payments.filters.searchHint')}
          value={filters.search}
          onType={(search) => change({ search })}
          isLabelHidden
        />
        <Button aria-expanded={isOpen} aria-controls={panel} onPress={() => setOpen(!isOpen)} icon="down">
          {hidden > 0 ? t('payments.filters.moreWith', { count: hidden }) : t('payments.filters.more')}
        </Button>
        {printFilters(filters) !== '' && (
          <Button look="bare" icon="cross" onPress={() => onChange(noFilters)}>
            {t('payments.filters.clear')}
          </Button>
        )}
      </div>
      <div className={styles.statuses}>
        <Chips
          label={t('payments.filters.status')}
          values={paymentStatuses}
          chosen={filters.status}
          words={(status) => t(`everywhere.status.${status}`)}
          onChange={(status) => change({ status })}
        />
        <Chips
          label={t('payments.filters.flags')}
          values={paymentFlags}
          chosen={filters.flags}
          words={(flag) => t(`everywhere.flag.${flag}`)}
          onChange={(flags) => change({ flags })}
        />
      </div>
      <div id={panel} hidden={!isOpen} className={styles.panel}>
        {isOpen && <MoreFilters filters={filters} change={change} />}
      </div>
    </search>
  );
}

type ChipsProps<Value extends string> = {
  label: string;
  values: readonly Value[];
  chosen: readonly Value[];
  words: (value: Value) => string;
  onChange: (chosen: Value[]) => void;
};

function Chips<Value extends string>({ label, values, chosen, words, onChange }: ChipsProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere.
    <div role="group" aria-label={label} className={styles.chips}>
      {values.map((value) => {
        const isOn = chosen.includes(value);
        const others = chosen.filter((one) => one !== value);
        return (
          <button
            key={value}
            type="button"
            aria-pressed={isOn}
            className={classNames(styles.chip, isOn && styles.on)}
            onClick={() => onChange(isOn ? others : [...others, value])}
          >
            {words(value)}
          </button>
        );
      })}
    </div>
  );
}

function MoreFilters({ filters, change }: { filters: PaymentFilters; change: Change }) {
  const { t } = useTranslation();
  const any = { value: '', words: t('payments.filters.any') };
  const chains = settings.chains.map(({ chainId, name }) => ({ value: String(chainId), words: name }));
  const tokens = settings.chains
    .filter(({ chainId }) => filters.chainId === null || chainId === filters.chainId)
    .flatMap((chain) => chain.tokens.map(({ key, symbol }) => ({ value: key, words: `${symbol} · ${chain.name}` })));
  return (
    <>
      <Select
        label={t('payments.filters.chain')}
        value={filters.chainId === null ? '' : String(filters.chainId)}
        options={[any, ...chains]}
        onChange={(chain) => change({ chainId: chain === '' ? null : Number(chain), tokenKey: '' })}
      />
      <Select
        label={t('payments.filters.token')}
        value={filters.tokenKey}
        options={[any, ...tokens]}
        onChange={(tokenKey) => change({ tokenKey })}
      />
      <TextField
        type="date"
        label={t('payments.filters.from')}
        value={filters.from}
        max={filters.to || undefined}
        onChange={(event) => change({ from: event.target.value })}
      />
      <TextField
        type="date"
        label={t('payments.filters.to')}
        value={filters.to}
        min={filters.from || undefined}
        onChange={(event) => change({ to: event.target.value })}
      />
      <Typed
        inputMode="decimal"
        label={t('payments.filters.least')}
        value={filters.least}
        onType={(least) => change({ least })}
        read={typedAmount}
        fault={t('everywhere.limits.decimal')}
      />
      <Typed
        inputMode="decimal"
        label={t('payments.filters.most')}
        value={filters.most}
        onType={(most) => change({ most })}
        read={typedAmount}
        fault={t('everywhere.limits.decimal')}
      />
      <Typed
        label={t('payments.filters.metadata')}
        placeholder="order=42"
        value={filters.metadata}
        onType={(metadata) => change({ metadata })}
        read={typedMetadata}
        fault={t('payments.filters.notMetadata')}
      />
    </>
  );
}

type TypedProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'error'> & {
  value: string;
  onType: (text: string) => void;
  /** The value that the text stands for. Undefined if there is none: the field then shows `fault`, and the filter is unchanged. */
  read?: (text: string) => string | undefined;
  fault?: string;
};

/** Reports the text once typing pauses, and at once on Enter and when the field loses focus. */
function Typed({ value, onType, read = (text) => text, fault, ...rest }: TypedProps) {
  const [text, setText] = useState(value);
  const [isWrong, setWrong] = useState(false);
  const type = (typed: string) => {
    setText(typed);
    setWrong(false);
  };
  const submit = () => {
    const found = read(text);
    setWrong(found === undefined);
    if (found !== undefined && found !== value) onType(found);
  };
  const latestSubmit = useRef(submit);
  latestSubmit.current = submit;
  useEffect(() => {
    setText(value);
    setWrong(false);
  }, [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latestSubmit.current(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <TextField
      {...rest}
      value={text}
      error={isWrong ? fault : undefined}
      onChange={(event) => type(event.target.value)}
      onBlur={submit}
      onKeyDown={(event) => event.key === 'Enter' && submit()}
    />
  );
}
