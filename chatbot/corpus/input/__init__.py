"""From bytes on the disk to lines, text and JSON values, whatever they are packed and encoded in."""
