"""What Messenger and Instagram write in place of a medium, and their notes, in many languages.

A note begins with the name of its sender ("Ann named the group Tea."), or the first name, or "You"; the
phrases stand without it. After "You" only the surest count, since people write "You changed the plan." too.

Source: exports of Facebook and Instagram, and their translations as far as they are known; where a phrase is
missing, such a message stays a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatbot.corpus.message import DELETED, MEDIA, SAID, SYSTEM

_YOU = ("You", "Du", "Vous", "Tú", "Você", "Tu", "Hai", "Je", "Jij", "U", "Вы", "Ви", "Sen", "您", "你")

_SENT = """
sent an attachment|sent a photo|sent photos|sent a video|sent a sticker|sent a gif|sent a voice message
sent a link|sent a location|sent a live location|shared a story|shared a post|shared a link|shared a photo
hat einen anhang gesendet|hast einen anhang gesendet|hat ein foto gesendet|hat ein video gesendet
hat einen anhang geschickt|hat einen link gesendet|hat einen sticker gesendet
a envoyé une pièce jointe|avez envoyé une pièce jointe|a envoyé une photo|a envoyé une vidéo
a envoyé un lien
envió un archivo adjunto|enviaste un archivo adjunto|ha enviado un archivo adjunto
mandó un archivo adjunto|envió una foto|ha enviado una foto|envió un video
enviou um anexo|enviou uma foto|enviou um vídeo|ha inviato un allegato|ha inviato una foto
inviato un allegato|ha inviato un video
heeft een bijlage verzonden|hebt een bijlage verzonden|heeft een bijlage gestuurd|heeft een foto verzonden
wysłał(a) załącznik|wysłał załącznik|wysłała załącznik|wysłał(-a) załącznik
отправил вложение|отправила вложение|отправил(-а) вложение|отправил(а) вложение|отправили вложение
надіслав(-ла) вкладення|надіслав вкладення|надіслала вкладення|надсилає вкладення
bir ek gönderdi|ek gönderdi|bir ek gönderdin|skickade en bilaga|har skickat en bilaga|sendte et vedlegg
sendte en vedhæftet fil|har sendt en vedhæftet fil|lähetti liitteen|odeslal/a přílohu|odeslal(a) přílohu
poslal(a) přílohu|mellékletet küldött|a trimis un fișier atașat|a trimis un atașament
έστειλε ένα συνημμένο|έστειλε συνημμένο|mengirim lampiran|mengirimkan lampiran|đã gửi một file đính kèm
đã gửi một tệp đính kèm|さんが添付ファイルを送信しました|傳送了附件|傳送了一個附件|发送了附件
发送了一个附件|發送了附件|님이 첨부 파일을 보냈습니다|أرسل مرفقًا|أرسل مرفقا|أرسلت مرفقًا
שלח קובץ מצורף|שלחה קובץ מצורף|ने एक अटैचमेंट भेजा
"""

_UNSENT = """
unsent a message|hat eine nachricht zurückgezogen|hat eine nachricht gelöscht|a retiré un message
a supprimé un message|anuló el envío de un mensaje|eliminó un mensaje|cancelou o envio de uma mensagem
removeu uma mensagem|ha annullato l'invio di un messaggio|heeft een bericht ongedaan gemaakt
heeft een bericht ingetrokken|отменил(-а) отправку сообщения|отменил отправку сообщения|已收回訊息
已收回一則訊息
撤回了一条消息|さんがメッセージの送信を取り消しました
"""

_DEEDS = (
    # English; the dots stand for names, numbers, titles.
    r"named the group .+",
    r"changed the (?:group|chat) (?:photo|name|theme|colou?rs?|picture)(?: to .+)?",
    r"(?:changed|set|removed|cleared) the (?:theme|emoji|quick reaction|group name|group photo)"
    r"(?: to .+| as .+)?",
    r"(?:set|cleared|changed|removed) (?:the nickname for .+|(?:your|his|her|their|his own|her own|their own)"
    r" (?:own )?nickname(?: to .+)?)",
    r"(?:added|removed|invited) .+ (?:to|from) the (?:group|chat|call)",
    r"(?:left|created|joined) the (?:group|chat|call|video chat|video call|audio call)",
    r"joined (?:the )?.{1,40} via (?:link|.{1,40} link)",
    r"started (?:a|an) (?:video chat|video call|audio call|voice call|call|group call|live video)",
    r"started (?:sharing video|sharing .{1,20} location|a plan)",
    r"(?:called you|missed (?:your|a) (?:call|video chat|video call|audio call)(?: from .+)?)",
    r"ended the (?:call|video chat|video call|audio call)",
    r"(?:created|changed|updated) (?:a|the) (?:poll|plan|event)\b.*",
    r"(?:voted for|removed (?:his|her|their|a) vote for|changed (?:his|her|their) vote to) .+",
    r"(?:pinned|unpinned|liked|reacted .{1,12} to|replied to) (?:a|your) (?:message|story)",
    r"reacted .{1,12} to your message",
    r"made .+ (?:an admin|a group admin)|added .+ as (?:an admin|a group admin)",
    r"removed .+ as (?:an|a group) admin",
    r"turned (?:on|off) (?:disappearing messages|vanish mode|member approval|end-to-end encryption).*",
    r"waved at .+|waved hello to .+",
    # German, French, Spanish, Portuguese, Italian, Dutch
    r"hat die gruppe .+ (?:genannt|benannt)|hat (?:das|den) .+ (?:in|auf) .+ geändert",
    r"hat die gruppe verlassen",
    r"hat .+ zur gruppe hinzugefügt|hat .+ aus der gruppe entfernt",
    r"hat (?:das gruppenbild|das gruppenfoto) geändert",
    r"hat einen (?:videochat|anruf|videoanruf|audioanruf) gestartet|hat dich angerufen",
    r"hat deinen anruf verpasst",
    r"hat (?:den|die|deinen|seinen|ihren) spitznamen .+ (?:festgelegt|geändert)",
    r"a nommé le groupe .+|a (?:changé|modifié) (?:la photo|le nom|le thème|la couleur) .+",
    r"a quitté le groupe",
    r"a ajouté .+ au groupe|a retiré .+ du groupe",
    r"a (?:démarré|lancé|commencé) un (?:appel|appel vidéo|chat vidéo).*",
    r"vous a appelée?|a manqué votre appel.*|a défini .+ comme pseudo .+",
    r"(?:nombró|ha llamado) (?:el|al) grupo .+",
    r"(?:cambió|ha cambiado) (?:la foto|el nombre|el tema|el color) .+",
    r"(?:abandonó|salió d|ha salido d|ha abandonado) ?el grupo|(?:agregó|añadió|ha añadido) a .+ al grupo",
    r"(?:inició|ha iniciado) (?:un|una) (?:chat de video|videochat|videollamada|llamada).*",
    r"te (?:llamó|ha llamado)",
    r"nomeou o grupo .+|(?:mudou|alterou) (?:a foto|o nome|o tema|a cor) .+|saiu do grupo",
    r"adicionou .+ ao grupo",
    r"iniciou uma (?:chamada|videochamada|ligação|conversa por vídeo|chamada de vídeo|conversa com vídeo).*",
    r"(?:ligou para você|ligou-te|te ligou)",
    r"ha (?:chiamato|nominato) il gruppo .+|ha cambiato (?:la foto|il nome|il tema|il colore) .+",
    r"ha lasciato il gruppo",
    r"ha (?:avviato|iniziato) una (?:videochat|videochiamata|chiamata).*|ti ha chiamato",
    r"ha aggiunto .+ al gruppo",
    r"heeft de groep .+ genoemd|heeft de groep(?:sfoto|snaam)? (?:verlaten|gewijzigd)|heeft je gebeld",
    r"heeft .+ (?:aan de groep toegevoegd|toegevoegd aan de groep)|heeft een (?:videochat|gesprek) gestart",
    # Polish, Russian, Turkish, Swedish, Chinese, Japanese, Korean
    r"nazwał(?:\(a\)|\(-a\)|a)? grupę .+|opuścił(?:\(a\)|\(-a\)|a)? grupę",
    r"rozpoczął(?:\(-ęła\))? (?:czat wideo|połączenie).*",
    r"назвал(?:\(-а\)|\(а\)|а)? группу .+|покинул(?:\(-а\)|\(а\)|а)? группу",
    r"начал(?:\(-а\)|\(а\)|а)? (?:видеочат|звонок).*",
    r"gruba .+ adını verdi|gruptan ayrıldı|(?:görüntülü sohbet|arama) başlattı|seni aradı|sizi aradı",
    r"döpte gruppen till .+|gav gruppen namnet .+|lämnade gruppen|startade (?:en videochatt|ett samtal)",
    r"(?:將群組命名為|将群组命名为|已將群組命名為).+|(?:離開了群組|已離開群組|退出了群组)",
    r"(?:開始了視訊聊天|发起了视频聊天|已開始視訊聊天)",
    r"さんがグループ名を.+|さんがグループを退出しました|さんがビデオチャットを開始しました",
    r"님이 그룹 이름을 .+|님이 그룹에서 나갔습니다|님이 영상 채팅을 시작했습니다",
)

_NOTES = (
    r"(?:you are|you're) now connected on (?:messenger|instagram)",
    r"you can now (?:message and )?call each other.*",
    r"say hi to your new (?:facebook friend|connection), .+|you are now friends .+",
    r"liked a message|reacted .{1,12} to your (?:message|story)",
    r"(?:the )?(?:video chat|video call|audio call|voice call) (?:has )?ended",
    r"you missed a (?:call|video chat|video call|audio call) (?:from|with) .+",
    r"you (?:named the group|set the nickname for|set your nickname to) .+",
    r"you changed the (?:group|chat) (?:photo|theme|colou?rs?).*|you set the (?:emoji|quick reaction) to .+",
    r"you (?:added|removed) .+ (?:to|from) the group|you started a (?:video chat|video call|audio call)",
    r"(?:this|the) poll is no longer available|you created (?:the|this) group",
    r"messages and calls are secured with end-to-end encryption.*|end-to-end encrypted messages and calls.*",
    r"ihr seid jetzt (?:auf|über|im) messenger verbunden|gefällt eine nachricht",
    r"hat eine nachricht mit .gefällt mir. .+",
    r"(?:hat )?mit .{1,12} auf deine nachricht reagiert|(?:hat )?auf deine nachricht mit .{1,12} reagiert",
    r"vous êtes maintenant en contact sur messenger|vous êtes désormais connectés? sur messenger",
    r"a aimé un message",
    r"a réagi (?:avec|par) .{1,12} à (?:votre|ton) message|a réagi à (?:votre|ton) message .+",
    r"ahora (?:están conectados|estáis conectados|estás conectado) en messenger",
    r"le (?:gustó|ha gustado) un mensaje",
    r"(?:reaccionó|ha reaccionado) con .{1,12} a tu mensaje|indicó que le gusta un mensaje",
    r"vocês (?:agora )?estão conectados (?:agora )?(?:no|pelo) messenger|curtiu uma mensagem",
    r"gostou de uma mensagem",
    r"(?:reagiu|reagiu com) .{1,12} à (?:sua|tua) mensagem",
    r"ora siete in contatto su messenger|ha messo .mi piace. a un messaggio",
    r"ha reagito (?:con .{1,12} )?al tuo messaggio.*",
    r"jullie zijn nu verbonden (?:via|op) messenger|vindt een bericht leuk",
    r"heeft met .{1,12} gereageerd op je bericht",
    r"теперь вы (?:на связи|общаетесь|связаны) в messenger|нравится сообщение",
    r"реакция .{1,12} на ваше сообщение|отреагировал(?:\(-а\)|\(а\)|а)? .{1,12} на ваше сообщение",
    r"teraz możecie rozmawiać w messengerze|polubił(?:\(a\)|\(-a\)|a)? wiadomość",
    r"artık messenger'da bağlantınız var",
    r"你們已成為 messenger 聯絡人|你们现在是 messenger 联系人|メッセージに「いいね！」しました",
    r"메시지를 좋아합니다",
)


def _rows(table: str) -> Iterator[str]:
    for row in table.split("\n"):
        yield from (phrase for phrase in row.split("|") if phrase)


_EXACT = dict.fromkeys(_rows(_SENT), MEDIA) | dict.fromkeys(_rows(_UNSENT), DELETED)
_DEED = re.compile("|".join(_DEEDS), re.IGNORECASE)
_NOTE = re.compile("|".join(_NOTES), re.IGNORECASE)
_LONGEST = 400
"""No note is longer; a name that is quoted in one may be long."""


def kind_of(text: str, sender: str) -> str:
    """What a text of a sender is: one of SAID, MEDIA, DELETED, SYSTEM."""
    if len(text) > _LONGEST or "\n" in text:
        return SAID
    bare = text.strip().rstrip(" .!。！")
    if _NOTE.fullmatch(bare):
        return SYSTEM
    first = sender.split(" ")[0]
    if not bare.startswith((sender, first, *_YOU)):
        return SAID
    for actor in (sender, first):
        if bare.startswith(actor) and (rest := _after(bare, actor)):
            kind = _EXACT.get(rest.lower()) or (SYSTEM if _DEED.fullmatch(rest) else SAID)
            if kind != SAID:
                return kind
    told = (_EXACT.get(_after(bare, you).lower()) for you in _YOU if bare.startswith(you))
    return next(filter(None, told), SAID)


def _after(text: str, actor: str) -> str:
    """What stands after a name; "" where the name goes on: "Anna" is not "Ann"."""
    rest = text[len(actor) :]
    if actor[-1].isascii() and rest[:1].isascii() and rest[:1].isalnum():
        return ""
    return rest.lstrip()
