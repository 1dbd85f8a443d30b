import { RefusalError } from '../http/answers.ts';

/** Interface 4.8. */
const supportedExtensions: ReadonlySet<string> = new Set(
  'pdf html htm txt doc docx xls xlsx ppt pptx msg eml csv xlsb xlsm one tsv ods'.split(' '),
);

const maxNameCharacters = 255;

/**
 * Checks the name of an uploaded file, interface section 8. Throws RefusalError: 415 for its type, 422 for the rest.
 */
export function checkFileName(name: string): void {
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  if (/[/\\]/.test(name)) {
    throw new RefusalError(422, `the file name ${shown} contains a forward slash or a backslash`);
  }
  if (Array.from(name).length > maxNameCharacters) {
    throw new RefusalError(422, `the file name ${shown} is longer than ${maxNameCharacters} characters`);
  }
  const [stem, extension, ...more] = name.split('.');
  if (extension === undefined || more.length > 0) {
    throw new RefusalError(422, `the file name ${shown} must contain one dot, not more or less`);
  }
  if (stem === '') throw new RefusalError(422, `the file name ${shown} has nothing before its dot`);
  if (!supportedExtensions.has(extension.toLowerCase())) {
    throw new RefusalError(415, `the file type of ${shown} is not supported`);
  }
}
