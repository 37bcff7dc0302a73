/** Copies a text and confirms it. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';

const SHOWN_MS = 1_500;

type CopyButtonProps = {
  /** The text to copy: the exact figure or the full address. */
  text: string;
  /** The kind of the copied text, for the accessible name: "Copy address". */
  name: string;
  /** Shows its label next to the icon. */
  hasWords?: boolean;
};

export function CopyButton({ text, name, hasWords }: CopyButtonProps) {
  const { t } = useTranslation();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(text)) ? 'copied' : 'failed');
  const words = state === 'idle' ? t('everywhere.copy') : t(`everywhere.${state}`);
  return (
    <>
      <Button
        look={hasWords ? 'plain' : 'bare'}
        size="small"
        icon={state === 'copied' ? 'check' : state === 'failed' ? 'alert' : 'copy'}
        onPress={copy}
        aria-label={hasWords ? undefined : t('everywhere.copyOf', { name })}
        title={t('everywhere.copyOf', { name })}
      >
        {hasWords ? words : undefined}
      </Button>
      <span className="visually-hidden" aria-live="polite">
        {state === 'idle' ? '' : words}
      </span>
    </>
  );
}

/** The clipboard API is available on secure pages only. Elsewhere, the text is selected and copied with the older command. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
