"""What mail programs write around what is quoted, in the languages they speak."""

from __future__ import annotations

WROTE = """
wrote|writes|schrieb|schreibt|geschrieben|a écrit|écrivit|escribió|escribe|va escriure|ha scritto
scrisse|escreveu|schreef|skrev|skrifaði|kirjoitti|napisał|napisała|napisał(a)|napisał/a|pisze|napsal
napsala|napsal(a)|napísal|napísala|napísal(a)|napisao|napisala|napisao/la|je pisal|je napisal|írta
ezt írta|a scris|yazdı|έγραψε|написал|написала|написал(а)|пишет|пише|написав|написав(ла)|написа|написао
rašė|rakstīja|kirjutas|escribiu|idatzi du|đã viết|menulis|写道|寫道|写|のメール|さんは書きました
wrote on|님이 작성|작성|كتب|כתב|כתבה|เขียนว่า|ने लिखा|scríobh|ysgrifennodd
"""
"""The verb of "On Friday Ann wrote:"."""

FROM = """
from|von|de|da|van|från|fra|lähettäjä|od|от|від|kimden|发件人|發件人|寄件者|寄件人|差出人|보낸 사람
보낸사람|feladó|από|de la|מאת|من|từ|dari|expéditeur|remitente|mittente|frá|saatja|pošiljatelj|nuo
"""
"""Labels of who sent a mail, at the head of a copy of it."""

SENT = """
sent|date|to|subject|gesendet|datum|an|betreff|cc|envoyé|à|objet|enviado|enviado el|fecha|para|asunto
data|inviato|a|oggetto|enviada em|assunto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|dato|til|emne
lähetetty|päivä|vastaanottaja|aihe|wysłano|wysłane|do|temat|odesláno|komu|předmět|odoslané|predmet
отправлено|дата|кому|тема|надіслано|gönderildi|gönderme tarihi|tarih|kime|konu|发送时间|日期|收件人|主题
發送時間|傳送時間|寄件日期|收件者|主旨|送信日時|日時|宛先|件名|보낸 날짜|날짜|받는 사람|제목|elküldve
dátum|címzett|tárgy|στάλθηκε|ημερομηνία|προς|θέμα|trimis|către|subiect|נשלח|תאריך|אל|נושא|تاريخ الإرسال
التاريخ|إلى|الموضوع|ngày|đến|chủ đề|tanggal|kepada|subjek
"""
"""Labels of the lines below that."""

ORIGINAL = """
original message|original appointment|forwarded message|begin forwarded message|ursprüngliche nachricht
originalnachricht|original-nachricht|weitergeleitete nachricht|message d'origine|message d’origine
message original|message transféré|message initial|mensaje original|mensaje reenviado
messaggio originale|messaggio inoltrato|mensagem original|mensagem encaminhada|oorspronkelijk bericht
doorgestuurd bericht|ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande
oprindelig meddelelse|opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|oryginalna wiadomość
původní zpráva|původní e-mail|pôvodná správa|исходное сообщение|пересылаемое сообщение
пересланное сообщение|оригинальное сообщение|оригінальне повідомлення|orijinal mesaj|özgün ileti
eredeti üzenet|αρχικό μήνυμα|mesaj original|原始邮件|邮件原件|原始郵件|原始訊息|转发邮件|转发的邮件
轉寄郵件|元のメッセージ|オリジナル メッセージ|転送メッセージ|original message follows|원본 메시지
원본 메일|הודעה מקורית|الرسالة الأصلية|tin nhắn gốc|thư gốc|pesan asli
"""
"""What stands between dashes above a copy of a mail."""

SENT_BY_DEVICE = """
sent from my|sent from mail for|sent from outlook|get outlook for|sent with |sent via |von meinem
gesendet von|gesendet mit|diese nachricht wurde von meinem|envoyé de mon|envoyé depuis mon
envoyé à partir de|enviado desde mi|enviado do meu|enviado a partir do meu|inviato da|inviato dal mio
verstuurd vanaf mijn|verzonden vanaf mijn|skickat från min|sendt fra min|lähetetty |wysłane z|odesláno z
отправлено с |отправлено из |iphone'umdan gönderildi|发自我的|从我的|來自我的|傳送自我的|iphoneから送信
나의 iphone에서 보냄
"""
"""How the last line begins that a telephone or a program adds."""

REPLY = """
re|aw|antw|antwort|sv|vs|rv|r|ref|odp|ynt|yanıt|atb|回复|回覆|答复|答覆|返信|답장|回|res|απ|σχετ|ha|vá
по|תגובה|رد|fwd|fw|wg|tr|vb|doorst|i|enc|rif|转发|轉寄|转|轉|転送|전달|pd|továbbítás|ilt|fyi|vl|prep
"""
"""What programs write before the subject of a reply or of a mail that is sent on."""


def phrases(table: str) -> list[str]:
    """The phrases of a table, longer ones first."""
    found = [phrase for line in table.strip().split("\n") for phrase in line.split("|")]
    return sorted({phrase for phrase in found if phrase}, key=lambda phrase: (-len(phrase), phrase))
