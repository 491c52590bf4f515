"""The remark that WhatsApp puts behind an edited message, in many languages."""

from __future__ import annotations

import re

_EDITED = """
This message was edited|Diese Nachricht wurde bearbeitet|Ce message a été modifié|Se editó este mensaje
Este mensaje fue editado|Se editó este mensaje.|Mensagem editada|Esta mensagem foi editada
Essa mensagem foi editada|Questo messaggio è stato modificato|Dit bericht is bewerkt|Bericht bewerkt
Данное сообщение изменено|Это сообщение изменено|Сообщение изменено|Це повідомлення змінено
Це повідомлення відредаговано|Ta wiadomość została edytowana|Wiadomość została zmieniona
Wiadomość edytowana
Bu mesaj düzenlendi|Tätä viestiä muokattiin|Tätä viestiä on muokattu|Viestiä muokattiin
Det här meddelandet redigerades|Det här meddelandet har redigerats|Meddelandet har redigerats
Denne meldingen ble redigert|Denne meldingen er redigert|Denne besked blev redigeret
Denne besked er redigeret
Tato zpráva byla upravena|Zpráva byla upravena|Ezt az üzenetet szerkesztették
Ez az üzenet szerkesztve lett
Acest mesaj a fost editat|Αυτό το μήνυμα τροποποιήθηκε|Αυτό το μήνυμα επεξεργάστηκε|تم تعديل هذه الرسالة
ההודעה נערכה|הודעה זו נערכה|יש מישהו שערך את ההודעה הזו|यह मैसेज एडिट किया गया|इस मैसेज को एडिट किया गया
यह संदेश संपादित किया गया था|Pesan ini diedit|Pesan ini telah diedit|このメッセージは編集されました
編集済み
이 메시지는 수정되었습니다|수정된 메시지입니다|편집된 메시지|此消息已编辑|此消息已被编辑|消息已编辑
这条消息已经过编辑
此訊息已編輯|這則訊息已編輯|訊息已編輯|這則訊息已經過編輯
"""
_PHRASES = "|".join(re.escape(phrase) for row in _EDITED.split("\n") for phrase in row.split("|") if phrase)
_REMARK = re.compile(rf"<(?:{_PHRASES})\.?>", re.IGNORECASE)


def without_remark(text: str) -> str:
    """The text without the remark that it was edited."""
    at = text.rfind("<")
    return text[:at].rstrip("\u200e").rstrip() if _REMARK.fullmatch(text, at) else text
