import { disk, failDisk } from './failing-disk.mjs';

/**
 * For `node --import`: as long as the file that FAILING_DISK names exists, what its lines say fails: the operations, the
 * end of the path, the code.
 */
const control = process.env.FAILING_DISK ?? '';

failDisk((operation, path) => {
  let text = '';
  try {
    text = disk.readFileSync(control, 'utf8');
  } catch {
    return null;
  }
  for (const line of text.split('\n')) {
    const [operations = '', end = '', code = ''] = line.split(' ');
    if (operations.split(',').includes(operation) && end !== '' && path.endsWith(end)) return code;
  }
  return null;
});
