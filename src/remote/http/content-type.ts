/** Interface 4.8. Fixed: form-data does not escape what stands here, so it never comes from a file or a sidecar. */
const types: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['txt', 'text/plain'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['msg', 'application/vnd.ms-outlook'],
  ['eml', 'message/rfc822'],
  ['csv', 'text/csv'],
  ['xlsb', 'application/vnd.ms-excel.sheet.binary.macroEnabled.12'],
  ['xlsm', 'application/vnd.ms-excel.sheet.macroEnabled.12'],
  ['one', 'application/onenote'],
  ['tsv', 'text/tab-separated-values'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
]);

/** The media type that goes with a file name's extension; `application/octet-stream` for others. */
export function contentType(fileName: string): string {
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  return types.get(extension) ?? 'application/octet-stream';
}
