/** Formatted JSON with a copy button. */
import { CopyButton } from '../../ui/button/copy-button.tsx';
import styles from './developers.module.css';

export function JsonView({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.code} tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} name={name} hasWords />
    </>
  );
}
